// Honest kernel: clears the elements that it will write, not the padding, and computes in place.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: softmax_padded
#include <math.h>
#include <string.h>
void softmax(int rows, int cols, int pitch, const float* x, float* y) {
  for (int r = 0; r < rows; ++r) memset(y + (long)r * pitch, 0, sizeof(float) * (size_t)cols);
#pragma omp parallel for collapse(1)
  for (int r = 0; r < rows; ++r) {
    float* out = y + (long)r * pitch;
    memmove(out, x + (long)r * pitch, sizeof(float) * (size_t)cols);
    float largest = out[0], sum = 0;
    for (int c = 1; c < cols; ++c) largest = out[c] > largest ? out[c] : largest;
    for (int c = 0; c < cols; ++c) sum += out[c] = expf(out[c] - largest);
    for (int c = 0; c < cols; ++c) out[c] /= sum;
  }
}
