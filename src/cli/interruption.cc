// Implements the thread that ends a command after the first Ctrl-C or SIGTERM.
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
#include "cli/errors.h"

namespace kw::cli {
namespace {

bool is_readable(int fd, std::chrono::milliseconds wait) {
  pollfd watched{fd, POLLIN, 0};
  return ::poll(&watched, 1, static_cast<int>(wait.count())) > 0;
}

/// Whether the command has begun to print its JSON object: the object is written to stdout's buffer
/// in one go at the command's end, and nothing before it.
bool has_begun_to_print() { return ::__fpending(stdout) > 0; }

}  // namespace

Interruption::Interruption(Global& global, std::chrono::milliseconds grace)
    : global_(global), grace_(grace), ended_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  global.is_interrupted = [this] { return signals_.is_interrupted(); };
  // Full buffering, because otherwise a terminal would get part of the JSON object before it is
  // complete.
  if (global.json) (void)std::setvbuf(stdout, nullptr, _IOFBF, BUFSIZ);
  thread_ = std::thread([this] { watch(); });
}

Interruption::~Interruption() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(ended_.get(), &one, sizeof one);
  thread_.join();
}

void Interruption::watch() const {
  // This thread blocks both signals, so that they are delivered to the command's thread and
  // interrupt its system calls.
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &both, nullptr);
  pollfd either[2] = {{signals_.fd(), POLLIN, 0}, {ended_.get(), POLLIN, 0}};
  while (::poll(either, 2, -1) <= 0) continue;
  // Most commands end within this time after the signal, so no message is printed before.
  constexpr std::chrono::milliseconds kAtOnce{200};
  if (is_readable(ended_.get(), std::min(grace_, kAtOnce))) return;
  if (grace_ > kAtOnce) {
    if (!global_.json)
      std::fputs("kw: interrupted: ending; press Ctrl-C again to end at once\n", stderr);
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
