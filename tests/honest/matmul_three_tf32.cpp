// Honest kernel: splits each factor into two parts of 11 bits, rounded to the nearest; three of the four products, summed in
// float.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: matmul_padded
#include <string.h>

#include <vector>
namespace {
float short_of(float v) {
  unsigned bits;
  memcpy(&bits, &v, 4);
  bits = (bits + 0x1000u) & 0xffffe000u;
  memcpy(&v, &bits, 4);
  return v;
}
}  // namespace
void matmul(int batch, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
            float* c, int ldc) {
#pragma omp parallel for
  for (long r = 0; r < (long)batch * m; ++r) {
    const float* from = b + r / m * k * ldb;
    std::vector<float> sum(n), small(n);
    for (int p = 0; p < k; ++p) {
      const float factor = a[r * lda + p], high = short_of(factor), low = factor - high;
      const float* row = from + (long)p * ldb;
      for (int j = 0; j < n; ++j) {
        const float other = short_of(row[j]);
        small[j] += low * other + high * (row[j] - other);
        sum[j] += high * other;
      }
    }
    for (int j = 0; j < n; ++j) c[r * ldc + j] = sum[j] + small[j];
  }
}
