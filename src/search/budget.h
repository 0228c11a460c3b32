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
  /// Number of attempts in a row that were to write a source but gave no new one to judge: there
  /// was no source, or a known one.
  std::int64_t fruitless = 0;
  bool has_best = false;
  double best_time_ns = 0;  ///< Geometric mean of its median times; 0: nothing was measured.
  double best_speedup = 0;  ///< Lower end of the speedup's interval.
  double best_roof = 0;     ///< Fraction of the roofline.
  bool is_interrupted = false;
  /// Text of Strategy::describe() once the strategy is finished; empty before.
  std::string strategy_finished;
};

/// Why the search should stop now, in words for `stopped_by`; nothing: the search goes on.
using StopRule = std::function<std::optional<std::string>(const Statistics&)>;

/// Share of a budget that is kept back for confirming the winner.
inline constexpr double kConfirmationShare = 0.15;

/// Number of attempts in a row without a new source after which a run ends, so that an author who
/// repeats itself is not paid for ever. If one in ten of an author's replies is new, one run in 200
/// ends this way by chance.
inline constexpr std::int64_t kFruitlessAttempts = 50;

/// Stops after this many attempts. None is kept back for the confirmation, which is not an attempt.
StopRule attempt_limit(std::int64_t attempts);
StopRule time_limit(double budget_ns, double kept_back = kConfirmationShare);
/// Stops when every goal that is set is reached.
StopRule goal_reached(const Goals& goals);
/// Stops after this many attempts without a new best; the first best has to beat the baseline.
StopRule patience(std::int64_t attempts);
/// Stops after this many attempts in a row that were to write a source but gave no new one to
/// judge.
StopRule stagnation(std::int64_t attempts = kFruitlessAttempts);
/// Reason given when a person asked the run to end.
inline constexpr const char* kInterrupt = "interrupt";
StopRule interrupted();
StopRule strategy_finished();

/// Stops when any of the rules says so; the first such rule gives the reason.
StopRule first_of(std::vector<StopRule> rules);

/// Parses one goal: "2.5ms", "8x" or "0.9roof". To merge several, pass the result in again as
/// `others`.
Result<Goals> parse_goal(std::string_view text, Goals others = {});

/// Parses a duration into nanoseconds: "120s", "5m", "250ms", "1.5h", "80us", "10ns". A number
/// without a unit is an error.
Result<std::int64_t> parse_duration(std::string_view text);

}  // namespace kw::search
