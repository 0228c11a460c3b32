// The files that a sweep leaves: a table and a plot.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/sweep.h"
#include "store/run_store.h"

namespace kw::session {

/// Writes the points to runs/sweeps/<task>-<dim>-<n>, where n is the first free number, and sets
/// the paths in `result`.
Result<> write_sweep(const store::RunStore& store, SweepResult& result);

}  // namespace kw::session
