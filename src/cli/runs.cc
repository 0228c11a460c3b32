// kw runs: lists the runs of this workspace.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/table.h"
#include "record/codec.h"

namespace kw::cli {
namespace {

/// The best speedup of a run for the table. A question mark follows a speedup that only the search
/// measured and no confirmation.
std::string speedup_text(const RunSummary& run) {
  if (run.best_speedup <= 0) return "–";
  return fmt::format("{:.3f}x{}", run.best_speedup, run.is_confirmed ? "" : "?");
}

/// The table of runs; on a narrow terminal columns are left out by rank, but names and results
/// stay.
Table table_of(const std::vector<RunSummary>& runs) {
  Table table;
  table.columns = {
      {.title = "run", .most = 24, .is_needed = true},
      {.title = "state", .is_needed = true},
      {.title = "strategy", .most = 14, .rank = 3},
      {.title = "attempts", .is_right = true, .rank = 1},
      {.title = "speedup", .is_right = true, .is_needed = true},
      {.title = "", .rank = 1},
      {.title = "label", .most = 24, .rank = 4},
      {.title = "spent", .is_right = true, .rank = 5},
      {.title = "calls", .is_right = true, .rank = 7},
      {.title = "tokens", .is_right = true, .rank = 7},
      {.title = "dollars", .is_right = true, .rank = 6},
      {.title = "started", .rank = 8},
      {.title = "stopped by", .rank = 9},
  };
  for (const RunSummary& run : runs) {
    const Spending& spent = run.spent;
    const bool has_asked = spent.calls > 0;
    table.rows.push_back({run.name, std::string(name_of(run.state)), run.config.strategy,
                          std::to_string(run.attempts), speedup_text(run),
                          run.is_confirmed ? "confirmed" : "not confirmed", run.config.label,
                          format_ns(run.spent_ns), has_asked ? std::to_string(spent.calls) : "",
                          has_asked ? std::to_string(spent.tokens) : "",
                          has_asked ? dollars_text(spent) : "", run.started_at, run.stopped_by});
  }
  return table;
}

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
  fmt::print("{}", table_text(table_of(runs), output_width()));
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
