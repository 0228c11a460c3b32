// kw compare RUN RUN…: shows runs side by side.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/compare_targets.h"
#include "cli/errors.h"
#include "record/codec.h"
#include "record/interval.h"
#include "report/comparison.h"
#include "report/digest.h"
#include "report/plot.h"
#include "session/stored_run.h"

namespace kw::cli {
namespace {

struct CompareFlags {
  std::vector<std::string> runs;
  std::string svg;
  std::string targets;
};

struct Compared {
  report::RunData data;
  report::Digest digest;
};

Result<Compared> load(const store::RunStore& store, const std::string& name) {
  Compared run;
  run.data = KW_TRY(session::load_run(store, name));
  KW_TRY(store.attempts().for_each_line(run.data.run.id,
                                        [&](const AttemptLine& line) { run.digest.add(line); }));
  return run;
}

/// The reasons why the speedups of the runs cannot be compared, as sentences for people.
std::vector<std::string> caveats(const std::vector<Compared>& runs) {
  std::set<std::string> tasks;
  std::set<std::string> baselines;
  std::set<std::string> devices;
  for (const auto& [data, digest] : runs) {
    tasks.insert(data.run.config.task + " " + data.run.config.task_sha256);
    baselines.insert(data.baseline);
    devices.insert(digest.devices.begin(), digest.devices.end());
  }
  std::vector<std::string> words;
  if (tasks.size() > 1) words.emplace_back("the runs are of different tasks or versions of a task");
  if (baselines.size() > 1) words.emplace_back("their speedups are over different baselines");
  if (devices.size() > 1) words.emplace_back("they were measured on different devices");
  return words;
}

/// The speedup of the run's confirmation; nothing if the run is not confirmed. Only the
/// confirmation was measured against the run's baseline.
std::optional<Speedup> confirmed_speedup(const Compared& run) {
  if (!run.data.confirmation || run.data.confirmation->speedup.value <= 0) return std::nullopt;
  return run.data.confirmation->speedup;
}

/// A run's speedup over the first run. Defined only if both runs are confirmed, for one task on one
/// device over one baseline.
std::optional<Speedup> against(const Compared& run, const Compared& first) {
  const auto ours = confirmed_speedup(run), theirs = confirmed_speedup(first);
  const bool is_same = ours && theirs &&
                       run.data.run.config.task_sha256 == first.data.run.config.task_sha256 &&
                       run.data.confirmation->device == first.data.confirmation->device;
  return is_same ? report::ratio_of(*ours, *theirs) : std::nullopt;
}

std::vector<report::ShapeComparison> shapes_against(const Compared& run, const Compared& first) {
  return report::compare_shapes(*run.data.confirmation, *first.data.confirmation);
}

Json against_json(const Compared& run, const Compared& first) {
  const auto ratio = against(run, first);
  if (!ratio) return nullptr;
  Json object{{"speedup", encode_json(*ratio)}, {"shapes", Json::array()}};
  for (const auto& shape : shapes_against(run, first))
    object["shapes"].push_back(report::comparison_json(shape));
  return object;
}

void print_against(const Compared& run, const Compared& first) {
  const std::string names = run.data.run.name + " against " + first.data.run.name;
  const auto ratio = against(run, first);
  if (!ratio) {
    fmt::print(
        "{}: no ratio of their speeds, which needs confirmed wins over the same baseline on the "
        "same device\n",
        names);
    return;
  }
  const char* words = ratio->low > 1    ? "faster"
                      : ratio->high < 1 ? "slower"
                                        : "no difference shown";
  fmt::print("{}: {}, {}\n", names, ratio_text(*ratio), words);
  for (const auto& shape : shapes_against(run, first))
    fmt::print("{}\n", report::comparison_line(shape));
}

Json run_json(const Compared& run, const Compared& first) {
  const auto& [data, digest] = run;
  const auto speedup = confirmed_speedup(run);
  return {{"speedup", speedup ? encode_json(*speedup) : Json()},
          {"against_first", &run == &first ? Json() : against_json(run, first)},
          {"name", data.run.name},
          {"state", name_of(data.run.state)},
          {"strategy", data.run.config.strategy},
          {"seed", data.run.config.seed},
          {"attempts", digest.attempts},
          {"failed", digest.failed},
          {"best_attempt", data.run.best_attempt},
          {"best_speedup", data.run.best_speedup},
          {"is_confirmed", data.run.is_confirmed},
          {"baseline", data.baseline},
          {"spent_ns", data.run.spent_ns},
          {"stopped_by", data.run.stopped_by},
          {"best_so_far", digest.best_so_far()}};
}

Result<int> compare(const Global& global, const CompareFlags& flags) {
  if (flags.runs.empty())
    return fail_input(
        ErrorCode::Missing, About{"run"},
        "name two or more runs to compare, or with --targets the task whose runs are compared");
  if (!flags.targets.empty()) {
    if (flags.runs.size() > 1)
      return fail_input(ErrorCode::Contradiction, About{"--targets"},
                        "--targets compares the runs of one task, and more than one name is given",
                        flags.runs.back());
    return compare_targets(global, flags.targets, flags.runs.front(), flags.svg);
  }
  if (flags.runs.size() < 2)
    return fail_input(ErrorCode::Missing, About{"second run"},
                      "kw compare needs at least two runs, and only this one is named",
                      flags.runs.front());
  std::set<std::string> named;
  for (const std::string& name : flags.runs)
    if (!named.insert(name).second)
      return fail_input(ErrorCode::Contradiction, About{name}, "this run is named twice", name);
  const auto store = KW_TRY(store::RunStore::open_to_read(global.workspace));
  std::vector<Compared> runs;
  std::vector<report::Series> series;
  Json table = Json::array();
  for (const std::string& name : flags.runs) {
    runs.push_back(KW_TRY(load(store, name)));
    report::Series line{name, {}, runs.back().digest.best_so_far()};
    for (std::size_t i = 1; i <= line.y.size(); ++i) line.x.push_back(static_cast<double>(i));
    series.push_back(std::move(line));
  }
  for (const Compared& run : runs) table.push_back(run_json(run, runs.front()));
  if (!flags.svg.empty())
    KW_TRY(platform::write_user_file(
        flags.svg,
        report::line_svg({"best so far (search figures)", "attempt", "speedup", false, true},
                         series)));
  const auto notes = caveats(runs);
  if (global.json) {
    Json object{{"runs", table}, {"caveats", notes}};
    if (!flags.svg.empty()) object["svg"] = flags.svg;
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  fmt::print("{:<20} {:<10} {:>6} {:>8} {:>6} {:>5} {:>9}  {:<13} {:>9}  {}\n", "run", "strategy",
             "seed", "attempts", "failed", "best", "speedup", "", "spent", "over");
  for (const auto& [data, digest] : runs) {
    const RunSummary& run = data.run;
    const bool has_best = run.best_attempt != 0;
    fmt::print("{:<20} {:<10} {:>6} {:>8} {:>6} {:>5} {:>9}  {:<13} {:>9}  {}\n", run.name,
               run.config.strategy, run.config.seed, digest.attempts, digest.failed,
               has_best ? std::to_string(run.best_attempt) : "–",
               has_best ? fmt::format("{:.3f}x", run.best_speedup) : "–",
               run.is_confirmed ? "confirmed" : "not confirmed", format_ns(run.spent_ns),
               data.baseline);
  }
  for (std::size_t i = 1; i < runs.size(); ++i) print_against(runs[i], runs.front());
  for (const std::string& note : notes) fmt::print("note: {}\n", note);
  if (!flags.svg.empty()) fmt::print("plot: {}\n", flags.svg);
  return kDone;
}

}  // namespace

Command compare_command() {
  auto flags = std::make_shared<CompareFlags>();
  Command command;
  command.name = "compare";
  command.summary = "Compare runs: tables with intervals, and a plot";
  command.declare = [flags](Flags& f) {
    f.positionals("runs", flags->runs, "Names as in kw runs, at least two; with --targets a task");
    f.text(
        "--svg", flags->svg,
        "Write a plot to this file: the best speedup so far of each run, or throughput by target");
    f.text("--targets", flags->targets,
           "cpu,cuda: compare the best kernel of each target among the runs of a task");
  };
  command.run = [flags](const Global& global) {
    return end_command(global, compare(global, *flags));
  };
  return command;
}

}  // namespace kw::cli
