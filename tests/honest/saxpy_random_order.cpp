// Honest kernel: uses blocks in an order drawn by <random> from a fixed seed.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <vector>
void saxpy(int n, float a, const float* x, float* y) {
  std::vector<int> blocks((std::size_t)(n + 1023) / 1024);
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = (int)i;
  std::shuffle(blocks.begin(), blocks.end(), std::mt19937(1));
  for (const int b : blocks)
    for (int i = b * 1024; i < n && i < b * 1024 + 1024; ++i) y[i] += a * x[i];
}
