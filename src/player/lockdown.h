// What players of a GPU and compilers take away from themselves before foreign code comes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kw::player {

/// Forbids, for this process and for good: new processes, exec, new sockets and pipes of names,
/// ptrace and other processes' memory, signals to others, perf, io_uring, bpf, mounts, namespaces,
/// anonymous files unless `anonymous_files` (NVIDIA's driver makes them). Threads stay allowed.
/// Calls that are taken away fail with EPERM (clone3 with ENOSYS, so that the C library falls
/// back). Returns 0 or the errno.
int lock_down(bool anonymous_files = false);

/// Forbids, for this process and for good, to change any file: opening one for writing, making,
/// renaming, linking, cutting or removing one, its mode, owner, times and attributes. Descriptors
/// that are open already keep working. Comes before lock_down(), which allows no further filter.
/// Returns 0 or the errno.
int forbid_writing();

}  // namespace kw::player
