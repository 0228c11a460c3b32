// What the programs with products share: inputs, the plain product, and the comparison.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "common.cuh"
struct Product {
  int m, n, k;
  std::vector<bf16> a, b;  // a: m x k, row-major; b: k x n, row-major
  std::vector<float> want;
  Product(int m_, int n_, int k_) : m(m_), n(n_), k(k_) {
    Random r;
    a = random_bf16((size_t)m * k, r);
    b = random_bf16((size_t)k * n, r);
    want.assign((size_t)m * n, 0.0f);
    for (int i = 0; i < m; ++i)
      for (int p = 0; p < k; ++p)
        for (int j = 0; j < n; ++j)
          want[(size_t)i * n + j] +=
              __bfloat162float(a[(size_t)i * k + p]) * __bfloat162float(b[(size_t)p * n + j]);
  }
  long wrong(const std::vector<float>& got) const {
    long bad = 0;
    for (size_t i = 0; i < want.size(); ++i) bad += !(got[i] == want[i]);
    return bad;
  }
};
static std::vector<bf16> transposed(const std::vector<bf16>& v, int rows, int cols) {
  std::vector<bf16> t(v.size());
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) t[(size_t)c * rows + r] = v[(size_t)r * cols + c];
  return t;
}
// The sums of a group of four warps as the card tells: thread t holds, for i below N / 8, d[4 i]
// and d[4 i + 1] in row t / 32 * 16 + t % 32 / 4, columns 8 i + t % 4 * 2 and the next; d[4 i + 2]
// and d[4 i + 3] eight rows further down.
template <class Put>
__device__ void each_sum(const float* d, int n_columns, int t, Put put) {
  const int row = t / 32 * 16 + t % 32 / 4;
#pragma unroll
  for (int i = 0; i < n_columns / 8; ++i) {
    const int col = 8 * i + t % 4 * 2;
    put(row, col, d[4 * i]), put(row, col + 1, d[4 * i + 1]);
    put(row + 8, col, d[4 * i + 2]), put(row + 8, col + 1, d[4 * i + 3]);
  }
}
