// Loading the object of a candidate: the last thing done before foreign code runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kw::player {

using Entry = void (*)(void* const*);

struct LoadedEntry {
  Entry entry = nullptr;  ///< Null where nothing was loaded.
  const char* why = "";   ///< Why not, in words; the loader's where they begin so.
};

/// Loads the libraries that the object names, gives up every system call and file that a kernel has
/// no business with, and loads the object. A process does this once: a second object could not be
/// opened. Constructors and resolvers of the object run in here.
LoadedEntry load_object(const char* path, const char* entry);

/// The same limits for a process that loads nothing, whose empty calls are to cost what others do.
/// Returns 0 or the errno; does nothing the second time or after load_object().
int limit_calls_without_object();

/// What pthread_exit() and thrown exceptions would else load when it is too late.
void load_unwinder();

}  // namespace kw::player
