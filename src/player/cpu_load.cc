// Loads an object: first its libraries, then the limits on system calls, then the object itself.
// SPDX-License-Identifier: Apache-2.0
#include "player/cpu_load.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/defence.h"
#include "player/allowed_calls.h"
#include "player/crash.h"
#include "player/lockdown.h"
#include "player/object_file.h"

namespace kw::player {
namespace {

bool is_limited = false;

LoadedEntry refused(const char* why) { return {nullptr, why}; }

/// Loads the libraries that the object names, from where the system keeps them. This code is the
/// system's, so it may run before the limits are set; the object then finds the libraries loaded.
const char* load_libraries(const ObjectFile& object) {
  for (std::size_t i = 0; i < object.library_count; ++i) {
    if (std::strchr(object.libraries[i], '/') != nullptr)
      return "the object names a library by its path; a library must be named without a folder";
    if (::dlopen(object.libraries[i], RTLD_NOW | RTLD_LOCAL) == nullptr) return ::dlerror();
  }
  return nullptr;
}

int limit_calls(const LoadingRights& rights) {
  is_limited = true;
  if (!is_on(Defence::AllowedCalls) || !is_on(Defence::SystemCalls)) return lock_down();
  if (rights.descriptor >= 0)
    if (const int error = allow_one_more_file(rights.descriptor); error != 0) return error;
  return allow_calls_of_kernels(rights);
}

}  // namespace

LoadedEntry load_object(const char* path, const char* entry_name) {
  if (is_limited)
    return refused("this process has loaded an object already; one process loads one candidate");
  static ObjectFile object;
  // Opening the file also tells the lowest free descriptor, which the loader will get when it opens
  // the object again.
  const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return refused(::strerror(errno));
  const char* why = object.read(descriptor);
  ::close(descriptor);
  if (why == nullptr) why = load_libraries(object);
  if (why != nullptr) return refused(why);
  if (const int error = limit_calls({descriptor, object.code()}); error != 0)
    return refused(::strerror(error));
  void* loaded = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) return refused(::dlerror());
  const auto entry = reinterpret_cast<Entry>(::dlsym(loaded, entry_name));
  if (entry == nullptr) return refused(::dlerror());
  catch_terminate(loaded);
  return {entry, ""};
}

int limit_calls_without_object() { return is_limited ? 0 : limit_calls({}); }

void load_unwinder() { ::dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL); }

}  // namespace kw::player
