// A baseline that adds up products one by one through memory, so slow that a few timed pairs show any gain.
// SPDX-License-Identifier: Apache-2.0
void matmul(int batch, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
            float* c, int ldc) {
  for (int s = 0; s < batch; ++s, a += (long)m * lda, b += (long)k * ldb, c += (long)m * ldc)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        volatile float sum = 0;
        for (int p = 0; p < k; ++p) sum = sum + a[(long)i * lda + p] * b[(long)p * ldb + j];
        c[(long)i * ldc + j] = sum;
      }
}
