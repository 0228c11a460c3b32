// Formats the result of a finished run.
// SPDX-License-Identifier: Apache-2.0
#include "cli/run_view.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cli/verdict_view.h"
#include "record/codec.h"
#include "report/evaluation_json.h"
#include "report/run_folder.h"

namespace kw::cli {
namespace {

std::string best_path(const report::RunData& data, const platform::Path& folder) {
  return (folder / "best" / report::best_file(data.run.config)).string();
}

}  // namespace

Json optimized_json(const report::RunData& data, const platform::Path& folder) {
  Json object;
  object["run"] = data.run.name;
  object["attempts"] = data.run.attempts;
  object["stopped_by"] = data.run.stopped_by;
  object["spent"] = {{"time_ns", data.run.spent_ns},  {"attempts", data.run.attempts},
                     {"usd", data.run.spent.usd},     {"tokens", data.run.spent.tokens},
                     {"calls", data.run.spent.calls}, {"unpriced", data.run.spent.unpriced}};
  object["baseline"] = data.baseline;
  object["folder"] = folder.string();
  object["best"] = nullptr;
  object["kept"] = nullptr;
  const auto kept = report::kept_of(data);
  if (kept)
    object["kept"] = {{"path", best_path(data, folder)},
                      {"is_baseline", kept->is_baseline},
                      {"name", kept->name},
                      {"words", kept->words}};
  if (const auto& best = data.best) {
    // A confirmation is the more reliable measurement, even if it shows no win.
    Json shown = report::evaluation_json(data.confirmation ? *data.confirmation : best->evaluation);
    shown["confirmed"] = data.is_win();
    // If a baseline is faster than the winner, the folder best/ holds the baseline, so the path is
    // null.
    shown["path"] = kept && !kept->is_baseline ? Json(best_path(data, folder)) : Json();
    shown["source_sha256"] = best->candidate.sha256;
    shown["attempt"] = best->number;
    shown["name"] = best->candidate.name;
    shown["knobs"] = best->candidate.knobs;
    object["best"] = std::move(shown);
  }
  return object;
}

std::string where_to_look(const report::RunData& data, const platform::Path& folder) {
  std::string text;
  if (const auto kept = report::kept_of(data)) {
    const std::string what = kept->is_baseline ? "fastest correct" : "best kernel";
    text += what + ": " + best_path(data, folder) +
            (data.is_win() ? "" : " (" + kept->words + ")") + "\n";
  }
  if (data.has_certificate())
    text += "certificate: " + (folder / "best" / "certificate.json").string() + "\n";
  text += "plots and tables: " + folder.string() + "\n";
  if (data.run.state == RunState::Finished && !data.is_win())
    text += "Nothing was confirmed faster than " + data.baseline + ".\n";
  text += "next\n";
  const std::string& run = data.run.name;
  const auto add = [&](const std::string& command, const char* why) {
    text += fmt::format("  {:<{}}  {}\n", command, 24 + run.size(), why);
  };
  if (data.run.state != RunState::Finished) {
    add("kw resume " + run, "go on with this run");
    add("kw show " + run, "every attempt so far");
    return text;
  }
  if (data.best) add(fmt::format("kw explain {} {}", run, data.best->number), "why this kernel");
  add("kw report " + run, "the whole run as one page");
  if (data.best && data.run.config.carrier != "synthetic")
    add("kw export " + run + " --as header", "the kernel for a program");
  if (data.is_win() && data.run.config.carrier == "pipe" && !data.run.config.specialises)
    add("kw specialise " + run, "knobs for each shape");
  if (data.run.config.models.empty())
    text += "No language model took part; with --model one writes kernels, too.\n";
  return text;
}

}  // namespace kw::cli
