// A host launcher for tests. It calls the driver only, so that the stand-in driver can run it.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cstddef>
#include <cstring>

namespace {

enum Mode { kPure, kWaits, kFails, kQueuesNothing };

template <class Call>
Call driver_call(const char* name) {
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver != nullptr ? reinterpret_cast<Call>(::dlsym(driver, name)) : nullptr;
}

}  // namespace

/// Called with (mode, y, count, stream). Fills y with the number of calls of this function so far:
/// repeating a captured graph repeats the number, and calling again increases it.
extern "C" __attribute__((visibility("default"))) int kw_entry(void* const* arguments) {
  const int mode = *static_cast<int*>(arguments[0]);
  const auto y = *static_cast<unsigned long long*>(arguments[1]);
  const int count = *static_cast<int*>(arguments[2]);
  void* stream = *static_cast<void**>(arguments[3]);
  static int calls = 0;
  const auto called = static_cast<float>(++calls);
  unsigned image = 0;
  std::memcpy(&image, &called, sizeof image);
  if (mode == kFails) return 7;
  if (mode == kQueuesNothing) return 0;
  const auto fill =
      driver_call<int (*)(unsigned long long, unsigned, std::size_t, void*)>("cuMemsetD32Async");
  const auto wait = driver_call<int (*)(void*)>("cuStreamSynchronize");
  if (fill == nullptr || wait == nullptr) return 1;
  if (const int failed = fill(y, image, static_cast<std::size_t>(count), stream)) return failed;
  return mode == kWaits ? wait(stream) : 0;
}
