// Honest kernel: is blocked over all three dimensions with remainders, no threads.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: matmul_padded
static const int kBlock = 48;
static int least(int a, int b) { return a < b ? a : b; }
void matmul(int batch, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
            float* c, int ldc) {
  for (int s = 0; s < batch; ++s, a += (long)m * lda, b += (long)k * ldb, c += (long)m * ldc)
    for (int i0 = 0; i0 < m; i0 += kBlock)
      for (int p0 = 0; p0 < k; p0 += kBlock)
        for (int i = i0; i < least(i0 + kBlock, m); ++i) {
          if (p0 == 0)
            for (int j = 0; j < n; ++j) c[(long)i * ldc + j] = 0;
          for (int p = p0; p < least(p0 + kBlock, k); ++p) {
            const float factor = a[(long)i * lda + p];
            for (int j = 0; j < n; ++j) c[(long)i * ldc + j] += factor * b[(long)p * ldb + j];
          }
        }
}
