// Transposes in square tiles that stay in the nearest cache, read along rows and written along
// rows.
// SPDX-License-Identifier: Apache-2.0
// kw: tune TILE = 16, 32, 64
// kw: technique tiling, threads
#include <stddef.h>

static inline int min_of(int a, int b) { return a < b ? a : b; }

void transpose(int rows, int cols, const float* x, int ldx, float* y, int ldy) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int c0 = 0; c0 < cols; c0 += TILE) {
    for (int r0 = 0; r0 < rows; r0 += TILE) {
      const int rn = min_of(rows, r0 + TILE), cn = min_of(cols, c0 + TILE);
      for (int c = c0; c < cn; ++c) {
        for (int r = r0; r < rn; ++r) y[(size_t)c * ldy + r] = x[(size_t)r * ldx + c];
      }
    }
  }
}
