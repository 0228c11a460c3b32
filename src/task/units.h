// The sources that surround a candidate and a reference: iface.h, trampolines, build units.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "task/definition.h"
#include "task/header.h"

namespace kw::task {

/// The type of one argument in C, "const float*"; `real` replaces the floating-point types.
std::string argument_type(const Parameter& parameter, std::string_view real = {});

/// The parameters of the task's function in C: "int n, float a, const float* x, float* y".
std::string parameter_list(const Task& task, std::string_view real = {});

/// The workspaces of a plan, in the order of their lines.
std::vector<std::string> workspace_names(const CandidateHeader& header);

/// The C declaration of the task's function; every candidate is compiled with it included first.
std::string interface_text(const Task& task);

/// The same for device code: fixed-width integers and CUtensorMap, which NVRTC does not bring, the
/// arguments that a plan can pass, in words, and KW_REAL.
std::string device_interface_text(const Task& task);

/// The same for a host launcher: the task's function with its workspaces and a stream behind the
/// task's own arguments, and an int as its answer.
std::string host_interface_text(const Task& task, const CandidateHeader& header);

/// One shared object that exports `extern "C" void kw_entry(void* const* args)`, where args[i]
/// points to the value of argument i of the signature: a pointer for a tensor, the scalar itself
/// otherwise. The candidate keeps its file as written; the trampoline is a translation unit of its
/// own. A candidate for cuda becomes a cubin for `arch` ("sm_90a") with every kernel that its plan
/// may launch; a host launcher a shared object again, whose kw_entry gets the workspaces and the
/// stream too and answers with an int. Diagnostics: the header of the source, or knobs that are no
/// valid point of it.
std::expected<BuildUnit, Diagnostics> candidate_unit(const Task& task, const Candidate& candidate,
                                                     std::string_view role = "candidate",
                                                     std::string_view arch = {});

/// reference_f64, reference_native and, where the reference defines it, magnitude_f64. At f64 every
/// real tensor and scalar is a double.
std::vector<BuildUnit> reference_units(const Definition& definition);

/// Defines the task's function as a call of `reference` at the task's type: what to put behind the
/// text of a reference, changed or not, to make it a candidate.
std::string call_of_reference(const Task& task);

/// The reference at the task's type as a candidate named "reference": the sequential baseline.
Candidate reference_candidate(const Definition& definition);

}  // namespace kw::task
