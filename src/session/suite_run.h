// Runs the searches (cells) of a suite, each in a process of its own, several at a time, and none
// twice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "session/suites/suite_cells.h"
#include "store/run_store.h"

namespace kw::session {

struct SuiteWays {
  int jobs = 2;  ///< Cells that run at the same time; they still measure one at a time.
  std::function<bool()> is_interrupted;  ///< Called from several threads.
  /// Called after each finished search of the suite, never from two threads at the same time.
  std::function<void(const report::SuiteCell&, bool is_new)> on_cell;
};

/// Runs the searches (cells) of a suite in the order of `plans`. If the store has a finished run
/// for a search, its result is read; an unfinished run is resumed. A failure of one search is
/// stored in its cell; only errors of the store are returned.
Result<std::vector<report::SuiteCell>> run_cells(const Options& options,
                                                 const store::RunStore& store,
                                                 const task::SuiteSpec& spec,
                                                 const std::vector<PlannedCell>& plans,
                                                 const SuiteWays& ways);

/// Reads the result of a finished run from the store into `cell`.
Result<> read_result(const store::RunStore& store, const std::string& run, report::SuiteCell& cell);

}  // namespace kw::session
