// Honest kernel: adds up in double, one dot product after the other.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: matmul_padded
// slow
void matmul(int batch, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
            float* c, int ldc) {
#pragma omp parallel for collapse(2) schedule(dynamic, 8)
  for (int s = 0; s < batch; ++s)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int p = 0; p < k; ++p)
          sum += (double)a[((long)s * m + i) * lda + p] * b[((long)s * k + p) * ldb + j];
        c[((long)s * m + i) * ldc + j] = (float)sum;
      }
}
