// Honest kernel: computes a product of contiguous matrices, rows of c shared among threads.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

void matmul(int m, int n, int k, const float* a, const float* b, float* c) {
#pragma omp parallel for
  for (int i = 0; i < m; ++i) {
    float* out = c + (size_t)i * n;
    for (int j = 0; j < n; ++j) out[j] = 0;
    for (int p = 0; p < k; ++p) {
      const float factor = a[(size_t)i * k + p];
      for (int j = 0; j < n; ++j) out[j] += factor * b[(size_t)p * n + j];
    }
  }
}
