// Reports a long wait from a thread that sleeps until the wait is over or must be reported.
// SPDX-License-Identifier: Apache-2.0
#include "referee/patience.h"

#include <utility>

namespace kw::referee {

Vigil::Vigil(const Patience& patience, std::string what) {
  if (!patience.tell) return;
  thread_ = std::thread([this, tell = patience.tell, what = std::move(what),
                         span = std::chrono::nanoseconds(patience.after_ns)] {
    std::unique_lock lock(mutex_);
    if (!ended_.wait_for(lock, span, [this] { return has_ended_; })) tell(what);
  });
}

Vigil::~Vigil() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

}  // namespace kw::referee
