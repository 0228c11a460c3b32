// Waiting on a clock that may be a test's, in steps short enough to be cancelled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "llm/budget.h"
#include "platform/clock.h"

namespace kw::llm {

/// A wait for the model `name`; `ledger` may refuse it, null: nobody does.
struct Wait {
  std::chrono::nanoseconds duration;
  const std::string& name;
  Ledger* ledger = nullptr;
};

/// Sleeps so long unless refused or cancelled, which are Stop errors; notices cancellation within
/// 50 ms.
Result<> wait_for(platform::Clock& clock, const Wait& wait, const std::stop_token& cancel);

}  // namespace kw::llm
