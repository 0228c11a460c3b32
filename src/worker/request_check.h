// Checks whether a request can be judged on this machine at all, before a worker does more with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "record/device.h"
#include "record/evaluation.h"

namespace kw::worker {

enum class Wanted { Judgement, Admission };

/// Error (of the input), in words: an impossible number (record/bounds.h), a part that is referred
/// to and missing, or more memory than the machine and the device of `facts` have.
Result<> check_judgeable(const EvaluationRequest& request, const DeviceFacts& facts, Wanted wanted);

}  // namespace kw::worker
