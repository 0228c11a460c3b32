// Honest kernel: uses a constexpr table and static_assert.
// SPDX-License-Identifier: Apache-2.0
#include <array>
static constexpr std::array<float, 4> kTable = [] {
  std::array<float, 4> t{};
  for (int i = 0; i < 4; ++i) t[(std::size_t)i] = 1.0f + 0.0f * i;
  return t;
}();
static_assert(kTable[3] == 1.0f);
void softsign(int n, const float* x, float* y) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) y[i] = x[i] / (kTable[(std::size_t)(i & 3)] + __builtin_fabsf(x[i]));
}
