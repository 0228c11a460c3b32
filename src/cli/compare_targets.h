// kw compare --targets cpu,cuda TASK: the best kernel of each target side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "cli/flags.h"

namespace kw::cli {

/// Tabulates the best stored run of the task for each of `targets` ("cpu,cuda"). Compares the last
/// target with the first by throughput, since targets are timed at different sizes, and by the
/// share of the roofline. The task's sequential reference is shown beside the CPU's best, but no
/// ratio uses it. `svg` is the plot's file; empty: no plot.
Result<int> compare_targets(const Global& global, const std::string& targets,
                            const std::string& task, const std::string& svg);

}  // namespace kw::cli
