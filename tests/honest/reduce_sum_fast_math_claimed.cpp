// Honest kernel: asks for fast arithmetic by the option, which is allowed, and by a pragma as well.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: reduce_sum_padded
// kw: option fast_math
#pragma GCC optimize("fast-math")
#include <stddef.h>
void reduce_sum(int rows, int cols, int pitch, const float* x, float* y) {
  for (int r = 0; r < rows; ++r) {
    double s = 0;
    for (int c = 0; c < cols; ++c) s += x[(size_t)r * pitch + c];
    y[r] = (float)s;
  }
}
