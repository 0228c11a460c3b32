// kw runs: what this workspace has searched.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "record/codec.h"

namespace kw::cli {
namespace {

std::string count_text(std::int64_t count) { return count == 0 ? "–" : std::to_string(count); }

Result<int> list_runs(const Global& global) {
  const auto store = KW_TRY(store::RunStore::open_to_read(global.workspace));
  const auto runs = KW_TRY(store.list());
  if (global.json) {
    Json object;
    object["runs"] = Json::array();
    for (const RunSummary& run : runs) object["runs"].push_back(encode_json(run));
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  if (runs.empty()) {
    std::printf("no runs in %s; start one with: kw optimize TASK\n", store.root().c_str());
    return kDone;
  }
  fmt::print("{:<20} {:<12} {:<10} {:>8} {:>9}  {:<13} {:>9} {:>7} {:>9} {:>9}  {:<20}  {}\n",
             "run", "state", "strategy", "attempts", "speedup", "", "spent", "calls", "tokens",
             "dollars", "started", "stopped by");
  for (const RunSummary& run : runs)
    fmt::print("{:<20} {:<12} {:<10} {:>8} {:>9}  {:<13} {:>9} {:>7} {:>9} {:>9}  {:<20}  {}\n",
               run.name, name_of(run.state), run.config.strategy, run.attempts,
               run.best_speedup > 0 ? fmt::format("{:.3f}x", run.best_speedup) : "–",
               run.is_confirmed ? "confirmed" : "not confirmed", format_ns(run.spent_ns),
               count_text(run.spent.calls), count_text(run.spent.tokens),
               run.spent.calls == 0 ? "–" : dollars_text(run.spent), run.started_at,
               run.stopped_by);
  return kDone;
}

}  // namespace

Command runs_command() {
  Command command;
  command.name = "runs";
  command.summary = "List the runs of this workspace";
  command.run = [](const Global& global) { return end_command(global, list_runs(global)); };
  return command;
}

}  // namespace kw::cli
