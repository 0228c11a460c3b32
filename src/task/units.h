// The sources that surround a candidate and a reference: iface.h, trampolines, build units.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "task/definition.h"
#include "task/header.h"

namespace kw::task {

/// The C type of one argument, such as "const float*"; `real` replaces the floating-point types.
std::string argument_type(const Parameter& parameter, std::string_view real = {});

/// The C parameters of the task's function: "int n, float a, const float* x, float* y".
std::string parameter_list(const Task& task, std::string_view real = {});

/// The names of a plan's workspaces, in the order of their lines.
std::vector<std::string> workspace_names(const CandidateHeader& header);

/// The C declaration of the task's function; every candidate is compiled with it included first.
std::string interface_text(const Task& task);

/// The header for device code: fixed-width integers and CUtensorMap, which NVRTC lacks, KW_REAL,
/// and a comment that lists the arguments which a plan can pass.
std::string device_interface_text(const Task& task);

/// The header for a host launcher: the task's function with its workspaces and a stream behind the
/// task's own arguments, and an int as its result.
std::string host_interface_text(const Task& task, const CandidateHeader& header);

/// The build unit of a candidate: a shared object that exports `extern "C" void kw_entry(void*
/// const* args)`, where args[i] points to the value of argument i of the signature: a pointer for a
/// tensor, the scalar itself otherwise. The candidate's file stays as written; the trampoline is a
/// translation unit of its own. A candidate for cuda becomes a cubin for `arch` ("sm_90a") with
/// every kernel that its plan may launch. A host launcher becomes a shared object whose kw_entry
/// also gets workspaces and stream, and returns an int. Diagnostics: errors in the source's header,
/// or knobs at no valid point.
std::expected<BuildUnit, Diagnostics> candidate_unit(const Task& task, const Candidate& candidate,
                                                     std::string_view role = "candidate",
                                                     std::string_view arch = {});

/// The units reference_f64, reference_native and, where the reference defines it, magnitude_f64. At
/// f64 every real tensor and scalar is a double.
std::vector<BuildUnit> reference_units(const Definition& definition);

/// A definition of the task's function as a call of `reference` at the task's type. Appended to the
/// text of a reference, changed or not, it makes a candidate.
std::string call_of_reference(const Task& task);

/// The reference at the task's type as a candidate named "reference": the sequential baseline.
Candidate reference_candidate(const Definition& definition);

}  // namespace kw::task
