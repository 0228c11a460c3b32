// Waits on a clock, which may be a test's, in steps short enough for cancellation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "llm/budget.h"
#include "platform/clock.h"

namespace kw::llm {

/// A wait for the model `name`. `ledger` may refuse the wait; null: the wait is always allowed.
struct Wait {
  std::chrono::nanoseconds duration;
  const std::string& name;
  Ledger* ledger = nullptr;
};

/// Sleeps for the wait's duration, unless the wait is refused or cancelled, which is a Stop error;
/// notices cancellation within 50 ms.
Result<> wait_for(platform::Clock& clock, const Wait& wait, const std::stop_token& cancel);

}  // namespace kw::llm
