// Each factor as two of 11 bits, rounded to the nearest; three of the four products, summed in
// float.
// SPDX-License-Identifier: Apache-2.0
// task: matmul
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
  for (int s = 0; s < batch; ++s) {
    const float* as = a + (long)s * m * lda;
    const float* bs = b + (long)s * k * ldb;
    std::vector<float> high((long)k * n), low((long)k * n);
    for (int p = 0; p < k; ++p)
      for (int j = 0; j < n; ++j) {
        const float v = bs[(long)p * ldb + j];
        high[(long)p * n + j] = short_of(v);
        low[(long)p * n + j] = short_of(v - short_of(v));
      }
#pragma omp parallel for
    for (int i = 0; i < m; ++i) {
      float* row = c + ((long)s * m + i) * ldc;
      for (int j = 0; j < n; ++j) row[j] = 0;
      for (int p = 0; p < k; ++p) {
        const float factor = as[(long)i * lda + p];
        const float upper = short_of(factor), lower = short_of(factor - upper);
        const float* h = &high[(long)p * n];
        const float* l = &low[(long)p * n];
        for (int j = 0; j < n; ++j) row[j] += upper * l[j] + lower * h[j] + upper * h[j];
      }
    }
  }
}
