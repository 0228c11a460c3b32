// Cells of a suite with what became of them: what its tables are made of.
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

/// A way to search and its conditions: one row of a table. What means nothing to it is empty.
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

/// One attempt of a cell.
struct SuiteTry {
  bool is_written = false;  ///< By a model, not a kernel that was there or a point of its knobs.
  Stage stage = Stage::Propose;
  Outcome outcome = Outcome::NoCandidate;
  double speedup = 0;  ///< Over the run's baseline, as the search saw it; 0: not measured.
};

/// How the asks of a search on a record were answered: search::Recorded.
struct SuiteRecord {
  std::size_t same = 0;
  std::size_t alike = 0;
  std::size_t none = 0;  ///< Nobody knows what would have come of it: no candidate.
};

/// One search.
struct SuiteCell {
  SuiteMethod method;
  std::string task;
  std::string level;
  std::uint64_t seed = 0;
  std::string run;      ///< In the workspace's store; empty: a landscape, kept nowhere.
  std::string trouble;  ///< Why there is no result; empty: there is.
  bool is_win = false;  ///< Confirmed faster than the baseline.
  /// Of the winner as confirmed; of the fastest, at most 1, where none was faster than the
  /// baseline; 0: nothing was correct.
  double speedup = 0;
  double optimum = 0;  ///< Best speedup that there is; 0: not known.
  std::vector<SuiteTry> tries;
  std::optional<SuiteRecord> record;  ///< Where it was searched on one.
  Spending spent;                     ///< On models.
};

struct SuiteResult {
  task::SuiteSpec spec;
  std::vector<SuiteCell> cells;
};

}  // namespace kw::report
