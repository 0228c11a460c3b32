// The thread that waits for the first signal.
// SPDX-License-Identifier: Apache-2.0
#include "cli/interruption.h"

#include <poll.h>
#include <pthread.h>
#include <stdio_ext.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "base/shown_output.h"
#include "cli/session.h"

namespace kw::cli {
namespace {

bool is_readable(int fd, std::chrono::milliseconds wait) {
  pollfd watched{fd, POLLIN, 0};
  return ::poll(&watched, 1, static_cast<int>(wait.count())) > 0;
}

/// Whether the result object is being printed: it is printed as a whole at the command's end, and a
/// buffer holds it until then.
bool has_begun_to_print() { return ::__fpending(stdout) > 0; }

}  // namespace

Interruption::Interruption(Global& global, std::chrono::milliseconds grace)
    : global_(global), grace_(grace), ended_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  global.is_interrupted = [this] { return signals_.is_interrupted(); };
  // the buffer must hold the whole object on a terminal, too
  if (global.json) (void)std::setvbuf(stdout, nullptr, _IOFBF, BUFSIZ);
  thread_ = std::thread([this] { watch(); });
}

Interruption::~Interruption() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(ended_.get(), &one, sizeof one);
  thread_.join();
}

void Interruption::watch() const {
  // This thread blocks the signals, so that they reach the command's thread and cut short its
  // waits.
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &both, nullptr);
  pollfd either[2] = {{signals_.fd(), POLLIN, 0}, {ended_.get(), POLLIN, 0}};
  while (::poll(either, 2, -1) <= 0) continue;
  // Most commands end within this time, and need no message.
  constexpr std::chrono::milliseconds kAtOnce{200};
  if (is_readable(ended_.get(), std::min(grace_, kAtOnce))) return;
  if (grace_ > kAtOnce) {
    if (!global_.json) std::fputs("kw: interrupted: ending; again to end now\n", stderr);
    if (is_readable(ended_.get(), grace_ - kAtOnce)) return;
  }
  end_interrupted(global_);
}

void end_interrupted(const Global& global) {
  ::flockfile(stdout);  // The command prints nothing after this line.
  show_status({});
  if (!global.json || !has_begun_to_print())
    (void)report_error(global, {"interrupted", ""}, kInterrupted);
  (void)std::fflush(stdout);
  ::_exit(kInterrupted);
}

}  // namespace kw::cli
