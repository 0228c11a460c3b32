// Honest kernel: fast arithmetic that is claimed by the option and written as a pragma besides.
// SPDX-License-Identifier: Apache-2.0
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
