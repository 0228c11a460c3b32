// Four rows of c at a time: each row of b is read once for four rows of the result.
// SPDX-License-Identifier: Apache-2.0
// kw: tune KC = 128, 64, 256
// kw: technique register_blocking, cache_blocking, vectorization, threads
#include <stddef.h>

void matmul(int batch, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
            float* c, int ldc) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int s = 0; s < batch; ++s) {
    for (int i0 = 0; i0 < m; i0 += 4) {
      const float* as = a + ((size_t)s * m + i0) * lda;
      const float* bs = b + (size_t)s * k * ldb;
      float* cs = c + ((size_t)s * m + i0) * ldc;
      const int rows = m - i0 < 4 ? m - i0 : 4;
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < n; ++j) cs[(size_t)i * ldc + j] = 0;
      }
      for (int p0 = 0; p0 < k; p0 += KC) {
        const int p1 = p0 + KC < k ? p0 + KC : k;
        for (int j0 = 0; j0 < n; j0 += 32) {
          const int width = n - j0 < 32 ? n - j0 : 32;
          float sum[4][32] = {};
          for (int p = p0; p < p1; ++p) {
            const float* from = bs + (size_t)p * ldb + j0;
            float row[32] = {};
            if (width == 32) {
              for (int j = 0; j < 32; ++j) row[j] = from[j];
            } else {
              for (int j = 0; j < width; ++j) row[j] = from[j];
            }
            for (int i = 0; i < 4; ++i) {
              const float factor = i < rows ? as[(size_t)i * lda + p] : 0.0f;
              for (int j = 0; j < 32; ++j) sum[i][j] += factor * row[j];
            }
          }
          for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < width; ++j) cs[(size_t)i * ldc + j0 + j] += sum[i][j];
          }
        }
      }
    }
  }
}
