// A baseline that keeps its sum in memory, so slow that a few timed pairs show any gain.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
void scan(int rows, int cols, int pitch, const float* x, float* y) {
  for (int r = 0; r < rows; ++r) {
    const float* in = x + (size_t)r * pitch;
    float* out = y + (size_t)r * pitch;
    volatile double sum = 0;
    for (int c = 0; c < cols; ++c) {
      sum = sum + in[c];
      out[c] = (float)sum;
    }
  }
}
