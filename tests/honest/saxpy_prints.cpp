// Honest kernel: prints a little, as from a line that was left in after debugging.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
void saxpy(int n, float a, const float* x, float* y) {
  printf("saxpy of %d elements\n", n);
  fprintf(stderr, "a is %g\n", a);
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
