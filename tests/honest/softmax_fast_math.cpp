// Honest kernel: uses the fast-math option, whose results must be within the tolerances too.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: softmax_padded
// kw: option fast_math
// until: measure
#include <math.h>
void softmax(int rows, int cols, int pitch, const float* x, float* y) {
#pragma omp parallel for
  for (int r = 0; r < rows; ++r) {
    const float* in = x + (long)r * pitch;
    float* out = y + (long)r * pitch;
    float largest = in[0], sum = 0;
    for (int c = 1; c < cols; ++c) largest = in[c] > largest ? in[c] : largest;
    for (int c = 0; c < cols; ++c) out[c] = expf(in[c] - largest);
    for (int c = 0; c < cols; ++c) sum += out[c];
    for (int c = 0; c < cols; ++c) out[c] /= sum;
  }
}
