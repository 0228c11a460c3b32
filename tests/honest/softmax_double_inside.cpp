// Honest kernel: computes in double where float would do.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: softmax_padded
#include <cmath>
#include <vector>
void softmax(int rows, int cols, int pitch, const float* x, float* y) {
#pragma omp parallel
  {
    std::vector<double> terms(static_cast<std::size_t>(cols));
#pragma omp for schedule(dynamic, 1)
    for (int r = 0; r < rows; ++r) {
      const float* in = x + (long)r * pitch;
      double largest = in[0], sum = 0;
      for (int c = 0; c < cols; ++c) largest = std::max<double>(largest, in[c]);
      for (int c = 0; c < cols; ++c) sum += terms[(std::size_t)c] = std::exp(in[c] - largest);
      for (int c = 0; c < cols; ++c) y[(long)r * pitch + c] = (float)(terms[(std::size_t)c] / sum);
    }
  }
}
