// False: wraps around beyond white.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
extern "C" void brighten(int h, int w, const uint8_t* in, uint8_t* out, int add) {
  for (long i = 0; i < (long)h * w; ++i) out[i] = (uint8_t)(in[i] + add);
}
