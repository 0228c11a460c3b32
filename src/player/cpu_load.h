// Loads a candidate's object, the last step before foreign code runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kw::player {

using Entry = void (*)(void* const*);

struct LoadedEntry {
  Entry entry = nullptr;  ///< Null where the object could not be loaded.
  const char* why = "";   ///< Why the object could not be loaded, in words: ours, or the loader's.
};

/// Loads the libraries that the object names, gives up every system call and file that a kernel
/// does not need, and loads the object, whose constructors and resolvers run in this call. A
/// process can do so once: a second object could not be opened.
LoadedEntry load_object(const char* path, const char* entry);

/// Sets the limits of load_object() in a process that loads no object, so that its empty calls cost
/// as much as calls in a process with an object. Returns 0 or the errno; does nothing the second
/// time or after load_object().
int limit_calls_without_object();

/// Loads the libraries that pthread_exit() and thrown exceptions need; once the limits are set,
/// they could not be loaded any more.
void load_unwinder();

}  // namespace kw::player
