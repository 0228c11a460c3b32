// Bounds of records that come from outside: a record that decodes may still hold impossible values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "record/device.h"
#include "record/evaluation.h"

namespace kw {

/// Largest size, count or duration that the functions below accept, in bytes, elements or
/// nanoseconds (a petabyte, thirteen days); the smallest is 0.
inline constexpr std::int64_t kMostOfAnything = std::int64_t{1} << 50;

/// Largest speedup that a record may claim; no kernel gains more.
inline constexpr double kMostSpeedup = 1e6;

/// Refuses a request that no worker could judge, whatever the machine; the error is one of the
/// input and names the field. Sizes and strides must fit together, and names must refer to parts of
/// the request that exist, so that nothing computed from them overflows.
Result<> check_request(const EvaluationRequest& request);

/// Refuses an evaluation with a figure that no measurement gives, or that contradicts its own
/// samples; errors as in check_request().
Result<> check_evaluation(const Evaluation& evaluation);

/// Refuses device facts and ceilings that no machine has; errors as in check_request().
Result<> check_facts(const DeviceFacts& facts);

/// Refuses a build unit, sent without a request, that no compiler could be given; errors as in
/// check_request().
Result<> check_unit(const BuildUnit& unit);

}  // namespace kw
