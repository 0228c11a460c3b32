// Brightens an image by a number of steps, and cuts at white.
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
void brighten(int h, int w, const uint8_t *in, uint8_t *out, int add) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int v = in[y * w + x] + add;
      out[y * w + x] = v > 255 ? 255 : v < 0 ? 0 : v;
    }
}
