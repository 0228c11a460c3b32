// Honest kernel: sets the rounding mode that it needs and restores the previous one.
// SPDX-License-Identifier: Apache-2.0
#include <fenv.h>
void saxpy(int n, float a, const float* x, float* y) {
  const int before = fegetround();
  fesetround(FE_TONEAREST);
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
  fesetround(before);
}
