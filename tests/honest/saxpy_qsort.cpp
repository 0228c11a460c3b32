// Honest kernel: uses indices sorted by qsort before they are used.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <vector>
static int ascending(const void* a, const void* b) {
  return *(const int*)a < *(const int*)b ? -1 : *(const int*)a > *(const int*)b;
}
void saxpy(int n, float a, const float* x, float* y) {
  std::vector<int> order((std::size_t)n);
  for (int i = 0; i < n; ++i) order[(std::size_t)i] = n - 1 - i;
  qsort(order.data(), order.size(), sizeof(int), ascending);
  for (const int i : order) y[i] += a * x[i];
}
