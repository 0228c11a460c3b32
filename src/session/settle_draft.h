// Settles by running a drafted task's code what its text leaves open.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "session/options.h"
#include "task/draft.h"

namespace kw::session {

/// Makes the same draft again with other choices.
using DraftMaker = std::function<Result<task::Draft>(const task::DraftChoices&)>;

/// Runs the draft's reference on this machine and returns a draft in which three things are
/// settled: workloads for special cases are left out where the reference fails on them alone; an
/// array that the code may read before it writes it is an output if the reference gives the same
/// and writes every element without having read it; and the timed sizes on a processor are such
/// that a call takes 5 to 50 ms (kLeastCallNs). Takes a few seconds, and the device's lease for
/// part of them. Where this machine cannot judge, or the code does not run on the drafted inputs,
/// the draft is returned as its text alone makes it, with a note that says why.
Result<task::Draft> settle_draft(const Options& options, const DraftMaker& make);

}  // namespace kw::session
