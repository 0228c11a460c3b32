// A plain GPU kernel of a drafted task: what everybody would write first, as the kernel to beat.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "task/c/function.h"
#include "task/c/parallel.h"
#include "task/definition.h"

namespace kw::task {

/// A candidate for GPUs with one thread for each turn of the parts' loops, in the function's own
/// code; empty where there are no parts or the code calls something that is not in the file.
/// `inputs` names the arrays that are only read.
std::string draft_kernel(std::string_view source, const std::vector<lex::Token>& tokens,
                         const CFunction& function, std::span<const ParallelPart> parts,
                         const std::vector<std::string>& inputs);

/// Why no such candidate can be judged: its launch plan would have more steps than a plan may have
/// (kMostPlanSteps) at one of the workloads for GPUs. A note for the user; empty where all fit.
std::string why_plan_is_too_long(std::span<const ParallelPart> parts,
                                 std::span<const WorkloadSpec> workloads);

}  // namespace kw::task
