// SIGINT and SIGTERM as a flag and a descriptor.
// SPDX-License-Identifier: Apache-2.0
#include "platform/signals.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace kw::platform {
namespace {

// What a handler may touch: lock-free atomics and write().
std::atomic<int> g_signal{0};
std::atomic<int> g_event_fd{-1};
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  const int saved = errno;
  int none = 0;
  g_signal.compare_exchange_strong(none, number);
  const std::uint64_t one = 1;
  // A failed write leaves the flag set, which is what counts.
  [[maybe_unused]] const ssize_t written = ::write(g_event_fd.load(), &one, sizeof one);
  // Either signal restores both, so that SIGINT after SIGTERM ends the program too.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  errno = saved;
}

}  // namespace

SignalGuard::SignalGuard() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  KW_ASSERT(g_event_fd.load() == -1);
  g_signal = 0;
  g_event_fd = event_.get();
  struct sigaction action{};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &old_int_);
  ::sigaction(SIGTERM, &action, &old_term_);
}

SignalGuard::~SignalGuard() {
  ::sigaction(SIGINT, &old_int_, nullptr);
  ::sigaction(SIGTERM, &old_term_, nullptr);
  g_event_fd = -1;
}

bool SignalGuard::is_interrupted() const { return g_signal.load() != 0; }

}  // namespace kw::platform
