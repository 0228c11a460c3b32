// A baseline that computes each exponential three times, so slow that a few timed pairs show any gain.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
void softmax(int rows, int cols, int pitch, const float* x, float* y) {
  for (int r = 0; r < rows; ++r) {
    const float* in = x + (long)r * pitch;
    float* out = y + (long)r * pitch;
    float largest = in[0], sum = 0;
    for (int c = 1; c < cols; ++c) largest = in[c] > largest ? in[c] : largest;
    for (int c = 0; c < cols; ++c) sum += expf(in[c] - largest);
    for (int c = 0; c < cols; ++c) {
      volatile float v = in[c];
      volatile float again = expf(v - largest);
      again = expf(v - largest);
      out[c] = again / sum;
    }
  }
}
