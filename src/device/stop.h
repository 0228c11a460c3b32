// Stopping a process so that none of its threads runs any more.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/subprocess.h"

namespace kw::device {

/// Sends SIGSTOP and waits until every thread has stopped: about 50 µs. False if the process is
/// gone or will not stop within a second (a thread deep inside the kernel).
bool stop_all_threads(const platform::Process& process);

/// Child processes of the payload's threads. Reads /proc; 0 without it.
int count_children(const platform::Process& process);

}  // namespace kw::device
