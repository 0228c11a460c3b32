// Sleeps in short steps, so that a wait can be cancelled.
// SPDX-License-Identifier: Apache-2.0
#include "llm/waiting.h"

#include <algorithm>

#include "net/http.h"

namespace kw::llm {

Result<> wait_for(platform::Clock& clock, const Wait& wait, const std::stop_token& cancel) {
  std::chrono::nanoseconds duration = wait.duration;
  if (wait.ledger != nullptr)
    KW_TRY(wait.ledger->allow_wait(clock.now_ns(), duration.count(), wait.name));
  constexpr std::chrono::nanoseconds step = std::chrono::milliseconds(50);
  while (duration > std::chrono::nanoseconds::zero()) {
    if (cancel.stop_requested())
      return fail(ErrorCode::Cancelled, std::string(net::kCancelled), {}, Advice::Stop);
    const auto nap = std::min(step, duration);
    clock.sleep_for(nap);
    duration -= nap;
  }
  return {};
}

}  // namespace kw::llm
