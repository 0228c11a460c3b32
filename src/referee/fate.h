// From how a load or a call ended to the verdict on the candidate; docs/verdicts.md in code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "device/player.h"
#include "record/verdict.h"

namespace kw::referee {

/// Nothing if the object was loaded.
std::optional<Verdict> verdict_of(const device::LoadResult& load);

/// Nothing if the plan was bound: what keeps it from being launched, at this workload.
std::optional<Verdict> verdict_of_bind(const device::LoadResult& bound,
                                       const std::string& workload);

/// Whether the fault may have been a write to an input, which a second run can tell.
bool may_be_input_write(const device::CallResult& call);

/// Whether the player says that the GPU itself failed, of which no kernel is the cause: memory or a
/// link that could not be corrected, or the device gone.
bool is_fault_of_device(const device::CallResult& call);

/// Nothing if the call returned. `what` names the call: "workload 'prime'".
std::optional<Verdict> verdict_of(const device::CallResult& call, const std::string& what);

/// The same verdict at the measure stage if it names an earlier one: a call that ends badly there
/// ran well when it was checked.
Verdict at_measure(Verdict verdict);

/// The end in words without blame, for references and opponents: "crashed with signal 11
/// (SIGSEGV)".
std::string words_of(device::Fate fate, int signal);

}  // namespace kw::referee
