// Signal and terminate handlers that tell the referee what happened, then let the signal end the
// process.
// SPDX-License-Identifier: Apache-2.0
#include "player/crash.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "player/protocol.h"
#include "player/transport.h"

namespace kw::player {
namespace {

std::uint64_t current_request = 0;
std::span<const GuardedMapping> mapped;
alignas(16) std::byte alternate_stack[std::size_t{64} << 10];

void send_last_words(Answer& answer) {
  answer.header.kind = Kind::Failed;
  answer.header.bytes = sizeof answer;
  answer.header.sequence = current_request;
  send_packet(kChannelFd, std::as_bytes(std::span(&answer, 1)), {}, false);
}

void on_fatal_signal(int number, siginfo_t* info, void*) {
  Answer answer;
  answer.trouble = Trouble::Signal;
  answer.signal = number;
  if (number == SIGSEGV || number == SIGBUS) {
    answer.address = reinterpret_cast<std::uint64_t>(info->si_addr);
    for (const GuardedMapping& m : mapped)
      if (m.in_guard(info->si_addr)) answer.in_guard = 1;
  }
  send_last_words(answer);
  ::signal(number, SIG_DFL);
  ::raise(number);
  ::_exit(128 + number);
}

using TypeOfCurrent = const void* (*)();
TypeOfCurrent current_exception_type = nullptr;

void on_terminate() {
  Answer answer;
  answer.trouble = Trouble::Exception;
  const void* type = current_exception_type != nullptr ? current_exception_type() : nullptr;
  if (type != nullptr) {
    // Itanium ABI: the pointer to the name follows the type_info's vtable pointer.
    const std::string_view name = static_cast<const char* const*>(type)[1];
    answer.set_words(name);
    if (name == "St9bad_alloc" || name == "St20bad_array_new_length")
      answer.trouble = Trouble::OutOfMemory;
  }
  send_last_words(answer);
  ::_exit(134);
}

}  // namespace

void arm_crash_handlers(std::span<const GuardedMapping> buffers) {
  mapped = buffers;
  stack_t stack{};
  stack.ss_sp = alternate_stack;
  stack.ss_size = sizeof alternate_stack;
  ::sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int number : kFatalSignals) ::sigaction(number, &action, nullptr);
}

void set_current_request(std::uint64_t sequence) { current_request = sequence; }

void catch_terminate(void* object) {
  using Terminate = void (*)();
  const auto set = reinterpret_cast<Terminate (*)(Terminate)>(
      ::dlsym(object, "_ZSt13set_terminatePFvvE"));  // the symbol of std::set_terminate
  if (set == nullptr) return;
  current_exception_type =
      reinterpret_cast<TypeOfCurrent>(::dlsym(object, "__cxa_current_exception_type"));
  set(on_terminate);
}

}  // namespace kw::player
