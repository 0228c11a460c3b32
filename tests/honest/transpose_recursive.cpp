// Honest kernel: divides recursively, with OpenMP tasks.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: transpose_padded
#include <stddef.h>
static void part(int r0, int r1, int c0, int c1, const float* x, int ldx, float* y, int ldy) {
  if (r1 - r0 <= 32 && c1 - c0 <= 32) {
    for (int r = r0; r < r1; ++r)
      for (int c = c0; c < c1; ++c) y[(size_t)c * ldy + r] = x[(size_t)r * ldx + c];
  } else if (r1 - r0 > c1 - c0) {
    const int m = (r0 + r1) / 2;
#pragma omp task
    part(r0, m, c0, c1, x, ldx, y, ldy);
    part(m, r1, c0, c1, x, ldx, y, ldy);
#pragma omp taskwait
  } else {
    const int m = (c0 + c1) / 2;
    part(r0, r1, c0, m, x, ldx, y, ldy);
    part(r0, r1, m, c1, x, ldx, y, ldy);
  }
}
void transpose(int rows, int cols, const float* x, int ldx, float* y, int ldy) {
#pragma omp parallel
#pragma omp single
  part(0, rows, 0, cols, x, ldx, y, ldy);
}
