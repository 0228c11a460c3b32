// Mode `specialised`: one source file with a separate build of a kernel for each of several shapes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "base/result.h"
#include "record/candidate.h"
#include "record/task.h"

namespace kw::task {

/// The build of a kernel for one shape, in which the shape's sizes are constants.
struct Arm {
  std::string workload;
  /// The sizes that select this build; its code sees them as `KW_CONST_<name>`. cpu: the integer
  /// arguments of the task's function. cuda: dims and integer scalars.
  std::map<std::string, std::int64_t> sizes;
  KnobPoint knobs;  ///< A valid point of the kernel's space.
};

Arm arm_for(const Task& task, const Workload& workload, Target target, KnobPoint knobs);

/// Writes the kernel's text once for each arm and once, with the kernel's own knobs, for all other
/// shapes. Each copy is in a namespace of its own, with its knobs as macros. On cpu the task's
/// function selects the copy and passes the sizes as literals; on cuda a `when` of the launch plan
/// selects. The result is an ordinary kernel without knobs, so judging it includes the selection.
///
/// Errors, written for the kernel's author: those of cut_source(), a host launcher, a kernel that
/// is specialised already, no arm, two arms with equal sizes, a header that cannot be parsed. Code
/// that cannot be in a namespace (further functions with C linkage on cpu, specialisations of other
/// namespaces' templates, `std::sort` beside a task function `sort`) fails in the compiler. Linear
/// in the text and the number of arms.
Result<std::string> specialise(const Task& task, const Candidate& kernel,
                               std::span<const Arm> arms);

}  // namespace kw::task
