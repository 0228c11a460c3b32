// Honest kernel: uses a lambda within a simd loop and a reduction clause.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
void swish(int n, float beta, const float* x, float* y) {
  const auto f = [beta](float v) { return v / (1 + expf(-beta * v)); };
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) y[i] = f(x[i]);
}
