// The reference loops of transpose, rows of y shared among the threads.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

void transpose(int rows, int cols, const float* x, int ldx, float* y, int ldy) {
#pragma omp parallel for
  for (int c = 0; c < cols; ++c) {
    for (int r = 0; r < rows; ++r) y[(size_t)c * ldy + r] = x[(size_t)r * ldx + c];
  }
}
