// Honest: y[0] = the uid it runs as, for arguments (n, x, y).
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

extern "C" void kw_entry(void* const* args) {
  float* y = *static_cast<float* const*>(args[2]);
  y[0] = static_cast<float>(getuid());  // exact below 2^24
}
