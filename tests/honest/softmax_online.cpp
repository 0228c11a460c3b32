// Honest kernel: makes one pass for maximum and sum together, the input read twice.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: softmax_padded
// until: measure
#include <math.h>
struct State {
  float largest, sum;
  void add(float v) {
    if (v > largest) {
      sum = sum * expf(largest - v) + 1;
      largest = v;
    } else {
      sum += expf(v - largest);
    }
  }
};
void softmax(int rows, int cols, int pitch, const float* x, float* y) {
#pragma omp parallel for
  for (int r = 0; r < rows; ++r) {
    const float* in = x + (long)r * pitch;
    State state{in[0], 1};
    for (int c = 1; c < cols; ++c) state.add(in[c]);
    const float scale = 1 / state.sum;
    for (int c = 0; c < cols; ++c) y[(long)r * pitch + c] = expf(in[c] - state.largest) * scale;
  }
}
