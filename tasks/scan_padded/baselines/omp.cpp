// The reference loops of scan, rows shared among the threads.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

void scan(int rows, int cols, int pitch, const float* x, float* y) {
#pragma omp parallel for
  for (int r = 0; r < rows; ++r) {
    const float* in = x + (size_t)r * pitch;
    float* out = y + (size_t)r * pitch;
    float sum = 0;
    for (int c = 0; c < cols; ++c) {
      sum += in[c];
      out[c] = sum;
    }
  }
}
