// Honest kernel: sums with Kahan's compensation.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: matmul_padded
#include <vector>
void matmul(int batch, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
            float* c, int ldc) {
#pragma omp parallel for
  for (long r = 0; r < (long)batch * m; ++r) {
    const float* from = b + r / m * k * ldb;
    float* row = c + r * ldc;
    std::vector<float> lost(n);
    for (int j = 0; j < n; ++j) row[j] = 0;
    for (int p = 0; p < k; ++p) {
      const float factor = a[r * lda + p];
      const float* other = from + (long)p * ldb;
      for (int j = 0; j < n; ++j) {
        const float term = factor * other[j] - lost[j];
        const float sum = row[j] + term;
        lost[j] = (sum - row[j]) - term;
        row[j] = sum;
      }
    }
  }
}
