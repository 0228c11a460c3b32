// Waiting on a clock that may be a test's, in steps short enough to be cancelled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stop_token>

#include "base/result.h"
#include "platform/clock.h"

namespace kw::llm {

/// Sleeps so long unless cancelled, which is a Stop error; notices cancellation within 50 ms.
Result<> wait_for(platform::Clock& clock, std::chrono::nanoseconds duration,
                  const std::stop_token& cancel);

}  // namespace kw::llm
