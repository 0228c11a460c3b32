// Honest kernel: adds up pairwise: splits a row into halves down to 64 elements.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: reduce_sum_padded
#include <stddef.h>
namespace {
float pairwise(const float* x, int n) {
  if (n > 64) return pairwise(x, n / 2) + pairwise(x + n / 2, n - n / 2);
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  return sum;
}
}  // namespace
void reduce_sum(int rows, int cols, int pitch, const float* x, float* y) {
#pragma omp parallel for
  for (int r = 0; r < rows; ++r) y[r] = pairwise(x + (size_t)r * pitch, cols);
}
