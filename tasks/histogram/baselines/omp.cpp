// The reference loop of histogram, shared among the threads; every thread counts for itself.
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

void histogram(int n, const uint8_t* x, int32_t* h) {
  for (int k = 0; k < 256; ++k) h[k] = 0;
#pragma omp parallel for reduction(+ : h[ : 256])
  for (int i = 0; i < n; ++i) ++h[x[i]];
}
