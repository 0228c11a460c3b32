// Turns how a load or a call ended into the verdict on the candidate; docs/verdicts.md in code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "device/player.h"
#include "record/verdict.h"

namespace kw::referee {

/// The verdict on a failed load; nothing if the object was loaded.
std::optional<Verdict> verdict_of(const device::LoadResult& load);

/// The verdict on a plan that could not be bound at this workload; nothing if it was bound.
std::optional<Verdict> verdict_of_bind(const device::LoadResult& bound,
                                       const std::string& workload);

/// Whether the fault may have been a write to an input, which a second run can tell.
bool may_be_input_write(const device::CallResult& call);

/// Whether the player says that the GPU itself failed, which no kernel can cause: an uncorrectable
/// error of memory or of a link, or a device that is gone.
bool is_fault_of_device(const device::CallResult& call);

/// The verdict on a call at this workload that did not return; nothing if it returned. `manner`
/// says how the call was made where that is unusual: "back to back".
std::optional<Verdict> verdict_of(const device::CallResult& call, const std::string& workload,
                                  const std::string& manner = {});

/// Raises the stage of a verdict to `measure` if it is an earlier one: a timed call that ends badly
/// is one of a program whose checked calls ended well.
Verdict at_measure(Verdict verdict);

/// How a process ended, without the call in which it ended and without blame; of kind None if it
/// returned.
Evidence ending_of(device::Fate fate, int signal);

/// How a process ended, in words without blame, for references and opponents: "crashed with signal
/// 11 (SIGSEGV)".
std::string words_of(device::Fate fate, int signal);
/// The same for a call with a time limit, which the words tell if it was reached.
std::string words_of(device::Fate fate, int signal, std::int64_t limit_ns);

}  // namespace kw::referee
