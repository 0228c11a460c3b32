// SuiteSpec: what kw suite compares, as a person writes it; format in docs/suites.md.
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

/// More tries of one kernel that failed are nobody's wish; of --repairs, too.
inline constexpr int kMostRepairs = 100;

/// A name in a spec that only somebody else can check.
struct SuiteName {
  std::string text;
  Position place;
};

struct SuiteTask {
  SuiteName name;     ///< As kw optimize takes it, techniques:SEED or recorded:RUN.
  std::string level;  ///< Empty: the suite has none.
};

/// What every cell may spend; at least one of them.
struct SuiteBudget {
  std::int64_t evaluations = 0;  ///< 0: no bound, here and below.
  std::int64_t calls = 0;
  std::int64_t tokens = 0;
  double usd = 0;
};

/// Which of the tables are printed beside the metrics.
enum class SuiteTable { Levels, Rounds, Outcomes, Budget };

/// What one sample of a task is.
enum class SampleUnit {
  Run,      ///< The confirmed winner of a run; a task has as many as there are seeds.
  Attempt,  ///< Each kernel that was written, where the strategy writes them independently.
};

/// Every combination is a cell, but for what means nothing to its strategy.
struct SuiteSpec {
  std::string name;
  std::string about;
  std::vector<SuiteTask> tasks;
  std::vector<SuiteName> models;  ///< `real`: the ones that the command line names.
  std::vector<SuiteName> strategies;
  std::vector<std::string> presets;
  std::vector<SuiteName> rewards;
  std::vector<std::uint64_t> seeds{1};
  std::vector<FeedbackLevel> feedback{FeedbackLevel::Profile};
  std::vector<bool> knowledge{true};
  std::vector<Target> targets{Target::Cpu};
  SuiteBudget budget;
  bool starts_from_experts = false;  ///< Runs with a model begin with the task's own kernels.
  std::optional<int> repairs;  ///< Of strategies that send back what failed; none: their default.
  SampleUnit samples = SampleUnit::Run;
  std::vector<int> pass{1};     ///< k of pass@k and speedup@k.
  std::vector<double> fast{1};  ///< p of fast_p.
  double resources = 0;         ///< Of efficiency@k; 0: it is not asked for.
  std::vector<SuiteTable> tables;
};

/// What the reader cannot know: names that exist.
struct SuiteWords {
  std::vector<std::string_view> strategies;
  std::vector<std::string_view> rewards;
};

/// Complaints are one line each, `origin:line:column: message`, with the nearest known word.
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
