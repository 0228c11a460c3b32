// Honest kernel: computes one compensated sum for each row.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: reduce_sum_padded
#include <stddef.h>
void reduce_sum(int rows, int cols, int pitch, const float* x, float* y) {
#pragma omp parallel for
  for (int r = 0; r < rows; ++r) {
    const float* from = x + (size_t)r * pitch;
    float sum = 0, lost = 0;
    for (int c = 0; c < cols; ++c) {
      const float term = from[c] - lost;
      const float next = sum + term;
      lost = (next - sum) - term;
      sum = next;
    }
    y[r] = sum;
  }
}
