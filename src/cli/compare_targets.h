// kw compare --targets cpu,cuda TASK: the best kernel of each target side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "cli/flags.h"

namespace kw::cli {

/// Tabulates the best stored run of the task for each of `targets` ("cpu,cuda") and holds the last
/// against the first: throughput, since targets are timed at sizes of their own, and the share of
/// the roofline. Beside the CPU's best stands the task's sequential reference, which enters no
/// ratio. `svg`: where the plot goes; empty: none.
Result<int> compare_targets(const Global& global, const std::string& targets,
                            const std::string& task, const std::string& svg);

}  // namespace kw::cli
