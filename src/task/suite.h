// SuiteSpec: what kw suite compares, as a person writes it in a file; format in docs/suites.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "record/enums.h"

namespace kw::task {

/// A name in a spec with its position, because its existence is checked only after parsing.
struct SuiteName {
  std::string text;
  Position place;
};

struct SuiteTask {
  SuiteName name;     ///< A task as `kw optimize` takes it, techniques:SEED, or recorded:RUN.
  std::string level;  ///< The level of the task; empty: the suite has no levels.
};

/// The budget of each cell (one search of a suite). At least one bound must be set; 0 sets no
/// bound.
struct SuiteBudget {
  std::int64_t evaluations = 0;
  std::int64_t calls = 0;
  std::int64_t tokens = 0;
  double usd = 0;
};

/// The optional tables that are printed in addition to the metrics.
enum class SuiteTable { Levels, Rounds, Outcomes, Budget };

/// What counts as one sample of a task.
enum class SampleUnit {
  Run,  ///< The confirmed winner of a run; a task has as many samples as seeds.
  /// Each written kernel is a sample; for strategies that write kernels independently of each
  /// other.
  Attempt,
};

/// A suite: every combination of values from its lists is a cell (one search), except values that
/// have no effect on the cell's strategy.
struct SuiteSpec {
  std::string name;
  std::string about;
  std::vector<SuiteTask> tasks;
  /// Models; the name `real` stands for the models given on the command line.
  std::vector<SuiteName> models;
  std::vector<SuiteName> strategies;
  std::vector<std::string> presets;
  std::vector<SuiteName> rewards;
  std::vector<std::uint64_t> seeds{1};
  std::vector<FeedbackLevel> feedback{FeedbackLevel::Profile};
  std::vector<bool> knowledge{true};
  std::vector<Target> targets{kDefaultTarget};
  SuiteBudget budget;
  bool starts_from_experts = false;  ///< Runs with a model begin with the task's own kernels.
  /// How many times a strategy may send a failed kernel back for repair; nothing: the strategy's
  /// default.
  std::optional<int> repairs;
  SampleUnit samples = SampleUnit::Run;
  std::vector<int> pass{1};     ///< The values of k for pass@k and speedup@k.
  std::vector<double> fast{1};  ///< The values of p for fast_p.
  double resources = 0;         ///< The resources of efficiency@k; 0: efficiency@k is not computed.
  std::vector<SuiteTable> tables;
};

/// The names of existing strategies and rewards, which the caller of parse_suite() supplies.
struct SuiteWords {
  std::vector<std::string_view> strategies;
  std::vector<std::string_view> rewards;
};

/// Parses a spec. Complaints are one line each, `origin:line:column: message`, and suggest the most
/// similar allowed word.
Result<SuiteSpec> parse_suite(std::string_view text, const std::string& origin,
                              const SuiteWords& words);

}  // namespace kw::task

template <>
struct kw::EnumNames<kw::task::SuiteTable> {
  static constexpr std::array<std::string_view, 4> names{"levels", "rounds", "outcomes", "budget"};
};
template <>
struct kw::EnumNames<kw::task::SampleUnit> {
  static constexpr std::array<std::string_view, 2> names{"runs", "attempts"};
};
