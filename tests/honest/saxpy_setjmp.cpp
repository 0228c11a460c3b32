// Honest kernel: uses a jump out of a nest of loops by longjmp.
// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
static jmp_buf end;
static void walk(int n, float a, const float* x, float* y) {
  for (int b = 0;; b += 64)
    for (int i = b; i < b + 64; ++i) {
      if (i == n) longjmp(end, 1);
      y[i] += a * x[i];
    }
}
void saxpy(int n, float a, const float* x, float* y) {
  if (setjmp(end) == 0) walk(n, a, x, y);
}
