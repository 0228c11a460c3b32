// Honest kernel: looks at the values of a and skips exact zeros, which changes no result.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: matmul_padded
void matmul(int batch, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
            float* c, int ldc) {
#pragma omp parallel for
  for (long r = 0; r < (long)batch * m; ++r) {
    const float* from = b + r / m * k * ldb;
    for (int j = 0; j < n; ++j) c[r * ldc + j] = 0;
    for (int p = 0; p < k; ++p)
      if (const float factor = a[r * lda + p]; factor != 0)
        for (int j = 0; j < n; ++j) c[r * ldc + j] += factor * from[(long)p * ldb + j];
  }
}
