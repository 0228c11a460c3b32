// Sends the last message of a player whose candidate crashed, from the signal handler and as well
// as possible.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <cstdint>
#include <span>

#include "player/mapping.h"

namespace kw::player {

/// Signals that end a player whose candidate crashed.
inline constexpr int kFatalSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};

/// Arms handlers for the fatal signals on an alternate stack of the calling thread. Call again
/// before every call of the candidate, which may have installed its own handlers; takes about 1 µs.
/// `buffers` must stay valid: the handler checks whether a fault lay beside one of them.
void arm_crash_handlers(std::span<const GuardedMapping> buffers);

/// Sets the sequence number of the request that the message about a crash answers.
void set_current_request(std::uint64_t sequence);

/// Makes a C++ exception that leaves a just-loaded object be reported by the name of its type
/// instead of as a plain abort. `object` is a dlopen handle; without a C++ runtime nothing happens.
void catch_terminate(void* object);

}  // namespace kw::player
