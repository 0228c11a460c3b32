// The reference loops of softmax, rows shared among the threads.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>

void softmax(int rows, int cols, int pitch, const float* x, float* y) {
#pragma omp parallel for
  for (int r = 0; r < rows; ++r) {
    const float* in = x + (size_t)r * pitch;
    float* out = y + (size_t)r * pitch;
    float largest = in[0];
    for (int c = 1; c < cols; ++c) largest = in[c] > largest ? in[c] : largest;
    float sum = 0;
    for (int c = 0; c < cols; ++c) {
      out[c] = expf(in[c] - largest);
      sum += out[c];
    }
    for (int c = 0; c < cols; ++c) out[c] /= sum;
  }
}
