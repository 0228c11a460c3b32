// Keeps blocks of c in registers, four rows by two vectors, and reads b in place.
// SPDX-License-Identifier: Apache-2.0
// kw: tune LANES = 16, 8
// kw: tune KC = 256, 64, 1024
// kw: let NR = LANES * 2
// kw: technique register_blocking, cache_blocking, vectorization, threads
#include <stddef.h>

typedef float Vec __attribute__((vector_size(LANES * 4), aligned(4), may_alias));

static const int kRows = 4;

// Adds a[rows][kc] b[kc][cols] to a block of c; whole blocks stay in vectors.
static void add_product(const float* a, int lda, const float* b, int ldb, int kc, float* c, int ldc,
                        int rows, int cols) {
  if (rows < kRows || cols < NR) {
    for (int i = 0; i < rows; ++i) {
      for (int p = 0; p < kc; ++p) {
        const float factor = a[(size_t)i * lda + p];
        for (int j = 0; j < cols; ++j) c[(size_t)i * ldc + j] += factor * b[(size_t)p * ldb + j];
      }
    }
    return;
  }
  Vec sum[kRows][2] = {};
  for (int p = 0; p < kc; ++p) {
    const Vec low = *(const Vec*)(b + (size_t)p * ldb);
    const Vec high = *(const Vec*)(b + (size_t)p * ldb + LANES);
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i) {
      sum[i][0] += a[(size_t)i * lda + p] * low;
      sum[i][1] += a[(size_t)i * lda + p] * high;
    }
  }
  for (int i = 0; i < kRows; ++i) {
    *(Vec*)(c + (size_t)i * ldc) += sum[i][0];
    *(Vec*)(c + (size_t)i * ldc + LANES) += sum[i][1];
  }
}

void matmul(int batch, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
            float* c, int ldc) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int s = 0; s < batch; ++s) {
    for (int i = 0; i < m; i += kRows) {
      const float* as = a + ((size_t)s * m + i) * lda;
      const float* bs = b + (size_t)s * k * ldb;
      float* cs = c + ((size_t)s * m + i) * ldc;
      const int rows = m - i < kRows ? m - i : kRows;
      for (int r = 0; r < rows; ++r) {
        for (int j = 0; j < n; ++j) cs[(size_t)r * ldc + j] = 0;
      }
      for (int p = 0; p < k; p += KC) {
        const int kc = k - p < KC ? k - p : KC;
        for (int j = 0; j < n; j += NR) {
          add_product(as + p, lda, bs + (size_t)p * ldb + j, ldb, kc, cs + j, ldc, rows,
                      n - j < NR ? n - j : NR);
        }
      }
    }
  }
}
