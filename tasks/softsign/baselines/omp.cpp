// The reference loop of softsign, shared among the threads.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void softsign(int n, const float* x, float* y) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) y[i] = x[i] / (1 + fabsf(x[i]));
}
