// Runs the cells of a suite: each a process of its own, several at a time, none of them twice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/suite_plan.h"
#include "store/run_store.h"

namespace kw::cli {

struct SuiteWays {
  int jobs = 2;                          ///< Cells at a time; the device's lease orders measuring.
  std::function<bool()> is_interrupted;  ///< Asked from several threads.
  /// Told of each cell when it is over; from one thread at a time.
  std::function<void(const report::SuiteCell&, bool is_new)> on_cell;
};

/// Cells in the order of `plans`. One whose run is in the store and finished is read from there; an
/// unfinished run is gone on with. What goes wrong in one cell is its trouble; an error is the
/// store's.
Result<std::vector<report::SuiteCell>> run_cells(const Global& global, const store::RunStore& store,
                                                 const task::SuiteSpec& spec,
                                                 const std::vector<CellPlan>& plans,
                                                 const SuiteWays& ways);

/// What a finished run came to, as a cell's result.
Result<> read_result(const store::RunStore& store, const std::string& run, report::SuiteCell& cell);

}  // namespace kw::cli
