// Right: neighbours are added in another order.
// SPDX-License-Identifier: Apache-2.0
namespace {
void step(int n, const float* from, float* to) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j) {
      const float* at = from + i * n + j;
      to[i * n + j] = 0.2f * ((at[-1] + at[1]) + (at[-n] + at[n]) + at[0]);
    }
}
}  // namespace
extern "C" void spread(int steps, int n, float* a, float* b) {
  for (int t = 0; t < steps; ++t) step(n, a, b), step(n, b, a);
}
