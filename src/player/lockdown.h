// Rights that GPU players and compilers give up before they handle foreign code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kw::player {

/// Forbids, for this process and for good: new processes, exec, new sockets and named pipes, ptrace
/// and other processes' memory, signals to others, perf, io_uring, bpf, mounts, namespaces, and
/// anonymous files unless `anonymous_files` (NVIDIA's driver makes them). Threads stay allowed.
/// Forbidden calls fail with EPERM (clone3 with ENOSYS, so that the C library falls back). Returns
/// 0 or the errno.
int lock_down(bool anonymous_files = false);

/// Forbids, for this process and for good, to change any file: to open one for writing, to make,
/// rename, link, truncate or remove one, and to change its mode, owner, times and attributes.
/// Descriptors that are already open keep working. Call before lock_down(), which allows no further
/// filter. Returns 0 or the errno.
int forbid_writing();

}  // namespace kw::player
