// Bounds of records that come from outside: what decodes may still be what nothing can be.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "record/device.h"
#include "record/evaluation.h"

namespace kw {

/// What the functions below ask of every whole number that is a size, a count or a duration: at
/// least 0 and no more than this many bytes, elements or nanoseconds (a petabyte, thirteen days).
inline constexpr std::int64_t kMostOfAnything = std::int64_t{1} << 50;

/// More than any kernel gains: what claims more has no opponent.
inline constexpr double kMostSpeedup = 1e6;

/// Error (of the input), naming the field: a request that no worker could judge, whatever the
/// machine. Sizes and strides must fit together, and what names another part of the request must
/// find it; then nothing that is computed from them overflows.
Result<> check_request(const EvaluationRequest& request);

/// The same of what comes back: a figure that no measurement gives, or that its own samples deny.
Result<> check_evaluation(const Evaluation& evaluation);

/// The same of a device and its ceilings.
Result<> check_facts(const DeviceFacts& facts);

/// The same of one unit outside a request.
Result<> check_unit(const BuildUnit& unit);

}  // namespace kw
