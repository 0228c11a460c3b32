// Turns SIGINT and SIGTERM into a flag and a readable descriptor.
// SPDX-License-Identifier: Apache-2.0
#include "platform/signals.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

namespace kw::platform {
namespace {

// A signal handler may use lock-free atomics and write() only.
std::atomic<SignalGuard*> g_innermost{nullptr};
static_assert(std::atomic<SignalGuard*>::is_always_lock_free);
static_assert(std::atomic<int>::is_always_lock_free);

}  // namespace

void SignalGuard::on_signal(int /*number*/) {
  const int saved = errno;
  bool is_last = true;
  if (SignalGuard* const guard = g_innermost.load(); guard != nullptr) {
    is_last = ++guard->count_ >= guard->takes_;
    const std::uint64_t one = 1;
    // A failed write is ignored: the flag is set, which is what counts.
    [[maybe_unused]] const ssize_t written = ::write(guard->fd(), &one, sizeof one);
  }
  // The last signal restores both defaults, so that SIGINT after SIGTERM ends the program too.
  if (is_last) {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
  }
  errno = saved;
}

SignalGuard::SignalGuard(int takes)
    : takes_(takes),
      event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      outer_(g_innermost.exchange(this)) {
  struct sigaction action{};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &old_int_);
  ::sigaction(SIGTERM, &action, &old_term_);
}

SignalGuard::~SignalGuard() {
  ::sigaction(SIGINT, &old_int_, nullptr);
  ::sigaction(SIGTERM, &old_term_, nullptr);
  g_innermost = outer_;
}

}  // namespace kw::platform
