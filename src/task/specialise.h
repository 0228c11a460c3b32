// Mode `specialised`: one file with a build of a kernel for each of some shapes.
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

/// What one shape gets: a build in which its sizes are constants.
struct Arm {
  std::string workload;
  /// What must be equal for it to run, and is `KW_CONST_<name>` in it. cpu: the integer arguments
  /// of the task's function. cuda: dims and integer scalars.
  std::map<std::string, std::int64_t> sizes;
  KnobPoint knobs;  ///< A valid point of the kernel's space.
};

Arm arm_for(const Task& task, const Workload& workload, Target target, KnobPoint knobs);

/// The kernel's text once for each arm and once, at its own knobs, for every other shape; each copy
/// in a namespace of its own, with its knobs as macros. What decides among them is on cpu the
/// task's function, which passes an arm its sizes as literals, and on cuda a `when` of the plan.
/// The result is an ordinary kernel without knobs: whoever judges it judges the dispatch too.
///
/// Errors, in words for the kernel's author: those of cut_source(), a host launcher, a kernel that
/// is specialised already, no arm, two arms of equal sizes, a header that does not parse. What does
/// not bear a namespace (further functions with C linkage on cpu, specialisations of other
/// namespaces' templates, `std::sort` beside a task function `sort`) is for the compiler to refuse.
/// Linear in the text and the number of arms.
Result<std::string> specialise(const Task& task, const Candidate& kernel,
                               std::span<const Arm> arms);

}  // namespace kw::task
