// Honest kernel: computes three parts of each sum side by side and adds them at the end.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: matmul_padded
#include <vector>
void matmul(int batch, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
            float* c, int ldc) {
  constexpr int kParts = 3;
#pragma omp parallel for
  for (long r = 0; r < (long)batch * m; ++r) {
    const float* from = b + r / m * k * ldb;
    std::vector<float> sums((long)kParts * n);
    for (int part = 0; part < kParts; ++part) {
      float* row = &sums[(long)part * n];
      for (int p = (long)k * part / kParts; p < (long)k * (part + 1) / kParts; ++p) {
        const float factor = a[r * lda + p];
        for (int j = 0; j < n; ++j) row[j] += factor * from[(long)p * ldb + j];
      }
    }
    for (int j = 0; j < n; ++j) c[r * ldc + j] = sums[j] + sums[n + j] + sums[2l * n + j];
  }
}
