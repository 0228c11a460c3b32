// Stops a process by sending SIGSTOP to each of its threads.
// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/defence.h"
#include "device/hold.h"
#include "device/threads.h"

namespace kw::device {
namespace {

class SignalHold final : public Hold {
 public:
  explicit SignalHold(const platform::Process& process)
      : process_(process), threads_(process.payload_pid()) {}

  bool engage() override {
    if (!process_.signal(SIGSTOP).has_value()) return false;
    if (is_on(Defence::EveryThreadStopped)) stop_each();
    return true;
  }

  // A thread that was created while the others were being stopped has got no signal of its own. The
  // group stop reaches it, unless the thread that should begin that stop is held up; so signals are
  // repeated.
  bool is_complete() override {
    const ThreadSet::State state = threads_.state_of_all("TtZX");
    if (state == ThreadSet::State::Other && ++looks_ % kLooksPerRepeat == 0 &&
        is_on(Defence::EveryThreadStopped))
      stop_each();
    if (state == ThreadSet::State::Unknown) return is_clock_at_rest();
    return state == ThreadSet::State::AsAsked;
  }

  bool release() override {
    looks_ = 0;
    return process_.signal(SIGCONT).has_value();
  }

 private:
  static constexpr int kLooksPerRepeat = 8;

  void stop_each() {
    for (const pid_t thread : threads_.ids())
      ::syscall(SYS_tgkill, process_.payload_pid(), thread, SIGSTOP);
  }

  /// For use without /proc: a stopped process uses no CPU time. Running threads see the signal
  /// within microseconds, sleeping threads before they next run.
  bool is_clock_at_rest() const {
    const auto before = process_.cpu_ns();
    const timespec pause{0, 200'000};
    ::nanosleep(&pause, nullptr);
    const auto after = process_.cpu_ns();
    return before.has_value() && after.has_value() && *before == *after;
  }

  const platform::Process& process_;
  ThreadSet threads_;
  int looks_ = 0;
};

}  // namespace

std::unique_ptr<Hold> hold_by_signals(const platform::Process& process) {
  return std::make_unique<SignalHold>(process);
}

}  // namespace kw::device
