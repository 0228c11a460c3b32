// Runs the cells of a suite, each as a process of its own, several at a time, and none twice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/suite_plan.h"
#include "store/run_store.h"

namespace kw::cli {

struct SuiteWays {
  int jobs = 2;  ///< Cells at a time; the device's lease makes them measure in turn.
  std::function<bool()> is_interrupted;  ///< Called from several threads.
  /// Called with each finished cell, from one thread at a time.
  std::function<void(const report::SuiteCell&, bool is_new)> on_cell;
};

/// Runs the cells in the order of `plans`. Where a cell's run is finished in the store, its result
/// is read; an unfinished run is resumed. Trouble in one cell is stored in that cell; an error is
/// about the store.
Result<std::vector<report::SuiteCell>> run_cells(const Global& global, const store::RunStore& store,
                                                 const task::SuiteSpec& spec,
                                                 const std::vector<CellPlan>& plans,
                                                 const SuiteWays& ways);

/// Reads the result of a finished run into a cell.
Result<> read_result(const store::RunStore& store, const std::string& run, report::SuiteCell& cell);

}  // namespace kw::cli
