// Honest kernel: uses functions of <cmath> and std::max_element.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: softmax_padded
#include <algorithm>
#include <cmath>
void softmax(int rows, int cols, int pitch, const float* x, float* y) {
#pragma omp parallel for
  for (int r = 0; r < rows; ++r) {
    const float* in = x + (long)r * pitch;
    float* out = y + (long)r * pitch;
    const float largest = *std::max_element(in, in + cols);
    double sum = 0;
    for (int c = 0; c < cols; ++c) sum += out[c] = std::exp(in[c] - largest);
    for (int c = 0; c < cols; ++c) out[c] = (float)(out[c] / sum);
  }
}
