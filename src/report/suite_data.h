// The results of a suite, from which its tables are made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/enums.h"
#include "record/exchange.h"
#include "task/suite.h"

namespace kw::report {

/// One search method with its settings: a row in the tables of a suite. Settings that the strategy
/// does not have are empty.
struct SuiteMethod {
  std::string strategy;
  std::string preset;
  std::string model;
  std::string reward;
  std::string feedback;
  std::string knowledge;  ///< on | off
  std::string target;

  auto operator<=>(const SuiteMethod&) const = default;
};

/// One attempt of a search.
struct SuiteTry {
  bool is_written = false;  ///< A model wrote the kernel; else it is an existing one at some knobs.
  Stage stage = Stage::Propose;
  Outcome outcome = Outcome::NoCandidate;
  double speedup = 0;  ///< Speedup over the run's baseline during the search; 0: not measured.
};

/// How many requests of a search on a recorded run were answered in which way; see
/// search::Recorded.
struct SuiteRecord {
  std::size_t same = 0;
  std::size_t alike = 0;
  std::size_t none = 0;  ///< Requests without an answer in the record, hence without candidate.
};

/// One search of a suite: one method applied to one task with one seed.
struct SuiteCell {
  SuiteMethod method;
  std::string task;
  std::string level;
  std::uint64_t seed = 0;
  std::string run;      ///< The run's name in the workspace's store; empty for a landscape.
  std::string trouble;  ///< Why the search has no result; empty where it has one.
  bool is_win = false;  ///< Whether the winner was confirmed to be faster than the baseline.
  /// Confirmed speedup of the winner; at most 1 if no attempt was faster than the baseline; 0 if no
  /// attempt was correct.
  double speedup = 0;
  double optimum = 0;  ///< Best speedup possible; 0: not known.
  std::vector<SuiteTry> tries;
  std::optional<SuiteRecord> record;  ///< Set where the search ran on a record.
  Spending spent;                     ///< Cost of models.
};

struct SuiteResult {
  task::SuiteSpec spec;
  std::vector<SuiteCell> cells;
};

}  // namespace kw::report
