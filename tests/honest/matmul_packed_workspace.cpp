// Honest kernel: packs b in each call into a static workspace, which grows and is reused but never used as a cache.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: matmul_padded
// until: measure
#include <vector>
static std::vector<float> packed;
void matmul(int batch, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
            float* c, int ldc) {
  constexpr int kWidth = 32;
  const int panels = (n + kWidth - 1) / kWidth;
  packed.resize((std::size_t)panels * k * kWidth);
  for (int s = 0; s < batch; ++s, a += (long)m * lda, b += (long)k * ldb, c += (long)m * ldc) {
#pragma omp parallel for
    for (int q = 0; q < panels; ++q)
      for (int p = 0; p < k; ++p)
        for (int j = 0; j < kWidth; ++j)
          packed[((std::size_t)q * k + p) * kWidth + j] =
              q * kWidth + j < n ? b[(long)p * ldb + q * kWidth + j] : 0;
#pragma omp parallel for
    for (int i = 0; i < m; ++i)
      for (int q = 0; q < panels; ++q) {
        float sums[kWidth] = {};
        const float* panel = &packed[(std::size_t)q * k * kWidth];
        for (int p = 0; p < k; ++p)
          for (int j = 0; j < kWidth; ++j)
            sums[j] += a[(long)i * lda + p] * panel[(long)p * kWidth + j];
        for (int j = 0; j < kWidth && q * kWidth + j < n; ++j)
          c[(long)i * ldc + q * kWidth + j] = sums[j];
      }
  }
}
