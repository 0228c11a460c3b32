// Last words of a player whose candidate crashed, sent from the signal handler; best effort.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <cstdint>
#include <span>

#include "player/mapping.h"

namespace kw::player {

/// The signals that end a player whose candidate went wrong.
inline constexpr int kFatalSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};

/// Arms handlers for the fatal signals on an alternate stack of the calling thread. Called again
/// before every call, since the candidate may have installed its own; about 1 µs. `buffers` must
/// stay valid: it tells whether a fault lay beside one of them.
void arm_crash_handlers(std::span<const GuardedMapping> buffers);

/// The request that last words answer.
void set_current_request(std::uint64_t sequence);

/// Makes C++ exceptions that leave a just-loaded object end with their type's name instead of a
/// plain abort. `object` is a dlopen handle; without a C++ runtime nothing happens.
void catch_terminate(void* object);

}  // namespace kw::player
