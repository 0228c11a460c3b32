// Stopping a process so that none of its threads runs any more.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/subprocess.h"

namespace kw::device {

/// Sends SIGSTOP and waits until every thread has stopped: about 50 µs. False if the process is
/// gone or will not stop within half a minute (a thread deep inside the kernel, or one that a very
/// busy machine does not run).
bool stop_all_threads(const platform::Process& process);

/// Waits until every thread sleeps, which is when its CPU clock is exact; false if one still runs
/// or waits for a processor after `patience_ns`, and without /proc.
bool await_sleep(const platform::Process& process, std::int64_t patience_ns);

/// Child processes of the payload's threads. Reads /proc; 0 without it.
int count_children(const platform::Process& process);

}  // namespace kw::device
