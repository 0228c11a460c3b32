// Honest kernel: has tile sizes as template parameters, loops unrolled by index sequences, and a lambda for the remainder.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: matmul_padded
#include <utility>
template <int... J>
static void tile(std::integer_sequence<int, J...>, int k, const float* a, const float* b, int ldb,
                 float* c) {
  float sums[sizeof...(J)] = {};
  for (int p = 0; p < k; ++p) ((sums[J] += a[p] * b[(long)p * ldb + J]), ...);
  ((c[J] = sums[J]), ...);
}
void matmul(int batch, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
            float* c, int ldc) {
  constexpr int kWidth = 16;
  const auto rest = [&](const float* row, const float* from, float* to, int j) {
    for (; j < n; ++j) {
      float sum = 0;
      for (int p = 0; p < k; ++p) sum += row[p] * from[(long)p * ldb + j];
      to[j] = sum;
    }
  };
#pragma omp parallel for collapse(2)
  for (int s = 0; s < batch; ++s)
    for (int i = 0; i < m; ++i) {
      const float* row = a + ((long)s * m + i) * lda;
      const float* from = b + (long)s * k * ldb;
      float* to = c + ((long)s * m + i) * ldc;
      int j = 0;
      for (; j + kWidth <= n; j += kWidth)
        tile(std::make_integer_sequence<int, kWidth>(), k, row, from + j, ldb, to + j);
      rest(row, from, to, j);
    }
}
