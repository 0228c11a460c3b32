// Honest kernel: uses compensated summation through a volatile variable, which the compiler cannot optimise away.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: softmax_padded
#include <math.h>
void softmax(int rows, int cols, int pitch, const float* x, float* y) {
#pragma omp parallel for schedule(guided)
  for (int r = 0; r < rows; ++r) {
    const float* in = x + (long)r * pitch;
    float* out = y + (long)r * pitch;
    float largest = -INFINITY, sum = 0;
    volatile float lost = 0;
    for (int c = 0; c < cols; ++c) largest = fmaxf(largest, in[c]);
    for (int c = 0; c < cols; ++c) {
      out[c] = expf(in[c] - largest);
      const float term = out[c] - lost, next = sum + term;
      lost = (next - sum) - term;
      sum = next;
    }
    for (int c = 0; c < cols; ++c) out[c] /= sum;
  }
}
