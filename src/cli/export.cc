// kw export RUN --format jsonl|csv|chrome: a run for other programs.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "cli/stored_run.h"
#include "engine/standing.h"
#include "report/export.h"
#include "report/run_folder.h"
#include "search/reward.h"

namespace kw::cli {
namespace {

struct ExportFlags {
  std::string run;
  std::string format = "jsonl";
  std::string out;
  std::string reward;
};

const std::vector<std::string> kFormats{"jsonl", "csv", "chrome"};

using Out = std::function<void(std::string_view)>;

/// Writes the export piece by piece, so that memory does not grow with the run.
/// `reward`: computed again by this policy; null: as the run had it.
Result<> render(const std::string& format, const store::RunStore& store,
                const report::RunData& data, const search::RewardPolicy* reward, const Out& out) {
  // Only the table counts samples.
  const auto samples = format == "csv" ? store::Samples::Load : store::Samples::LeaveOut;
  const auto each_attempt = [&](store::Sources sources, const auto& text_of) {
    const auto visit = [&](Attempt& a) -> Result<> {
      if (reward != nullptr) a.reward = engine::reward_of(a, *reward);
      out(text_of(a));
      return {};
    };
    return store.for_each_attempt(data.run.id, sources, visit, samples);
  };
  if (format == "csv") {
    out(report::csv_header());
    return each_attempt(store::Sources::LeaveOut, report::csv_lines);
  }
  if (format == "jsonl") {
    report::Trajectories trajectories(data);
    return each_attempt(store::Sources::Load,
                        [&](const Attempt& a) { return trajectories.line(a); });
  }
  report::ChromeTrace trace;
  out(trace.begin(data));
  KW_TRY(
      each_attempt(store::Sources::LeaveOut, [&](const Attempt& a) { return trace.attempt(a); }));
  for (const store::Event& event : KW_TRY(store.events(data.run.id))) out(trace.event(event));
  out(trace.end());
  return {};
}

Result<int> run(const Global& global, ExportFlags flags) {
  if (std::find(kFormats.begin(), kFormats.end(), flags.format) == kFormats.end())
    return fail_input("--format is jsonl, csv or chrome, not '" + flags.format + "'" +
                      suggestion(flags.format, kFormats));
  const search::RewardPolicy* reward = nullptr;
  if (!flags.reward.empty()) {
    if (flags.format != "jsonl")
      return fail_input("only trajectories (jsonl) have rewards: --reward");
    reward = KW_TRY(as_input(search::find_reward_policy(flags.reward)));
  }
  const auto store = KW_TRY(store::RunStore::open_to_read(global.workspace));
  const auto data = KW_TRY(load_run(store, flags.run));
  // With --json standard output is one object, so the export goes beside the run.
  if (global.json && flags.out.empty())
    flags.out = (store.folder_of(data.run) /
                 (flags.format == "chrome" ? "trace.json" : "export." + flags.format))
                    .string();
  if (flags.out.empty()) {
    KW_TRY(render(flags.format, store, data, reward,
                  [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }));
    return kDone;
  }
  auto file = KW_TRY(platform::FileWriter::create(flags.out));
  std::size_t bytes = 0;
  KW_TRY(render(flags.format, store, data, reward, [&](std::string_view text) {
    bytes += text.size();
    file.write(text);
  }));
  KW_TRY(file.commit());
  if (global.json)
    std::printf("%s\n", dump_json({{"run", data.run.name},
                                   {"format", flags.format},
                                   {"path", flags.out},
                                   {"bytes", bytes}})
                            .c_str());
  else
    std::printf("%s\n", flags.out.c_str());
  return kDone;
}

}  // namespace

Command export_command() {
  auto flags = std::make_shared<ExportFlags>();
  Command command;
  command.name = "export";
  command.summary = "Write a run as trajectories, table or trace";
  command.declare = [flags](Flags& f) {
    f.positional("run", flags->run, "Name as in kw runs");
    f.text("--format", flags->format, "jsonl (trajectories), csv or chrome (trace)");
    f.text("--reward", flags->reward,
           "Compute rewards again by this policy, from the stored verdicts; default: the run's");
    f.text("--out", flags->out, "File; default: standard output");
  };
  command.run = [flags](const Global& global) { return end_command(global, run(global, *flags)); };
  return command;
}

}  // namespace kw::cli
