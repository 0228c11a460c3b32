// The reference loops of matmul, rows of all matrices shared among the threads.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

void matmul(int batch, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
            float* c, int ldc) {
#pragma omp parallel for collapse(2)
  for (int s = 0; s < batch; ++s) {
    for (int i = 0; i < m; ++i) {
      const float* as = a + (size_t)s * m * lda;
      const float* bs = b + (size_t)s * k * ldb;
      float* row = c + ((size_t)s * m + i) * ldc;
      for (int j = 0; j < n; ++j) row[j] = 0;
      for (int p = 0; p < k; ++p) {
        const float factor = as[(size_t)i * lda + p];
        const float* from = bs + (size_t)p * ldb;
        for (int j = 0; j < n; ++j) row[j] += factor * from[j];
      }
    }
  }
}
