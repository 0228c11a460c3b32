// Generates the sources around a candidate and a reference: the interface header, trampolines and
// build units.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/target.h"
#include "task/definition.h"
#include "task/header.h"

namespace kw::task {

/// The C type of one argument, such as "const float*"; if `real` is not empty, it replaces the
/// floating-point types.
std::string argument_type(const Parameter& parameter, std::string_view real = {});

/// The C parameters of the task's function: "int n, float a, const float* x, float* y".
std::string parameter_list(const Task& task, std::string_view real = {});

/// The names of a launch plan's workspaces, in the order of their directives.
std::vector<std::string> workspace_names(const CandidateHeader& header);

/// The C declaration of the task's function, which every candidate includes before its own text.
std::string interface_text(const Task& task);

/// The interface header for device code: fixed-width integers and CUtensorMap, which NVRTC lacks,
/// KW_REAL, and a comment that lists the arguments that a launch plan can pass.
std::string device_interface_text(const Task& task);

/// The interface header for a host launcher: a function that takes the task's arguments, then its
/// workspaces and a stream, and returns an int.
std::string host_interface_text(const Task& task, const CandidateHeader& header);

/// What sources of one target are built with and see.
struct SourceForm {
  /// What a prompt shows of the interface: a declaration, or the parameters of a launch plan.
  std::string (*shown_interface)(const Task&);
  /// Sets the files of a unit: the header iface.h, the candidate's `text` as the main file, and
  /// what is compiled beside both.
  void (*add_files)(BuildUnit&, const Task&, const CandidateHeader&, const std::string& text);
};
ByTarget<SourceForm>& source_forms();

/// The build unit of a candidate: a shared object that exports `extern "C" void kw_entry(void*
/// const* args)`, where args[i] points to the value of argument i of the signature: to a pointer
/// for a tensor, to the number for a scalar. The candidate's file stays as written; the trampoline
/// is a translation unit of its own. Where a plan launches kernels, the candidate becomes an object
/// for `arch` ("sm_90a") with every kernel that its plan may launch. A host launcher becomes a
/// shared object whose kw_entry also receives workspaces and a stream, and returns an int.
/// Diagnostics: errors in the source's header, or knobs at an invalid point.
std::expected<BuildUnit, Diagnostics> candidate_unit(const Task& task, const Candidate& candidate,
                                                     std::string_view role = "candidate",
                                                     std::string_view arch = {});

/// The build units reference_f64, reference_native and, if the reference defines a magnitude,
/// magnitude_f64. In the f64 units every real tensor and scalar is a double; where has_long_truth()
/// holds, reference_f64 takes the arguments of with_extents() and computes in long double.
std::vector<BuildUnit> reference_units(const Definition& definition);

/// The text of the task's function, which calls `reference` with the task's real type. Appended to
/// the text of a reference, changed or not, it makes a candidate.
std::string call_of_reference(const Task& task);

/// The reference with the task's real type as a candidate named "reference": the sequential
/// baseline.
Candidate reference_candidate(const Definition& definition);

}  // namespace kw::task
