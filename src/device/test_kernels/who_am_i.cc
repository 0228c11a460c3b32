// A kernel that asks for its identity in every way there is; arguments (n, x, y).
// SPDX-License-Identifier: Apache-2.0
#include <sys/auxv.h>
#include <unistd.h>

// Sets y[0] = the uid by getuid() (-1: denied), y[1] = the uid that the kernel gave the process at
// its start, y[2] = its pid; all are exact below 2^24.
extern "C" void kw_entry(void* const* args) {
  float* y = *static_cast<float* const*>(args[2]);
  y[0] = static_cast<float>(static_cast<int>(getuid()));
  y[1] = static_cast<float>(getauxval(AT_UID));
  y[2] = static_cast<float>(getpid());
}
