// Honest kernel: uses GCC's vectors, with memcpy as the unaligned load.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>
typedef float Vector __attribute__((vector_size(32)));
void saxpy(int n, float a, const float* __restrict x, float* __restrict y) {
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    Vector from, to;
    memcpy(&from, x + i, sizeof from);
    memcpy(&to, y + i, sizeof to);
    to += a * from;
    memcpy(y + i, &to, sizeof to);
  }
  for (; i < n; ++i) y[i] += a * x[i];
}
