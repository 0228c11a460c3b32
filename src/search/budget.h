// Budgets, goals and stop rules: small functions over one record of statistics.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/task.h"

namespace kw::search {

/// What a run has spent and reached; kept by the engine.
struct Statistics {
  std::int64_t attempts = 0;
  double spent_ns = 0;  ///< Wall time of the run.
  std::int64_t attempts_since_best = 0;
  /// Attempts to write in a row that brought nothing new to judge: no source, or a known one.
  std::int64_t fruitless = 0;
  bool has_best = false;
  double best_time_ns = 0;  ///< Upper end of what is believed; 0: nothing measured.
  double best_speedup = 0;  ///< Lower end of the interval.
  double best_roof = 0;     ///< Fraction of roofline.
  bool is_interrupted = false;
  std::string strategy_finished;  ///< Strategy::describe() once finished; empty before.
};

/// Why the search should stop now, in words for `stopped_by`; nothing: go on.
using StopRule = std::function<std::optional<std::string>(const Statistics&)>;

/// Share of a budget that the confirmation of the winner also draws on, kept back for it.
inline constexpr double kConfirmationShare = 0.15;

/// Attempts to write without anything new that end a run of themselves. Of an author of whose
/// replies one in ten is new, one run in 200 ends so; one who repeats itself is paid no further.
inline constexpr std::int64_t kFruitlessAttempts = 50;

/// The confirmation is no attempt, so none is kept back.
StopRule attempt_limit(std::int64_t attempts);
StopRule time_limit(double budget_ns, double kept_back = kConfirmationShare);
/// Every goal that is set is reached.
StopRule goal_reached(const Goals& goals);
/// No new best in this many attempts; the first best is to beat the baseline.
StopRule patience(std::int64_t attempts);
/// So many attempts to write in a row brought nothing new to judge.
StopRule stagnation(std::int64_t attempts = kFruitlessAttempts);
/// What it says: a person asked the run to end.
inline constexpr const char* kInterrupt = "interrupt";
StopRule interrupted();
StopRule strategy_finished();

/// The first rule that says stop.
StopRule first_of(std::vector<StopRule> rules);

/// "2.5ms", "8x" or "0.9roof": one goal; merge several by calling again with the result.
Result<Goals> parse_goal(std::string_view text, Goals others = {});

/// "120s", "5m", "250ms", "1.5h", "80us", "10ns": nanoseconds. A number without a unit is an error.
Result<std::int64_t> parse_duration(std::string_view text);

}  // namespace kw::search
