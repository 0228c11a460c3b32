// Honest kernel: sums of blocks in float, sums before each block, then the blocks once more.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: scan_padded
#include <stddef.h>

#include <vector>
void scan(int rows, int cols, int pitch, const float* x, float* y) {
  constexpr int kBlock = 4096;
  const int blocks = (cols + kBlock - 1) / kBlock;
  for (int r = 0; r < rows; ++r) {
    const float* from = x + (size_t)r * pitch;
    float* to = y + (size_t)r * pitch;
    std::vector<float> before(blocks + 1);
#pragma omp parallel for
    for (int b = 0; b < blocks; ++b) {
      float sums[8] = {};
      const int end = (b + 1) * kBlock < cols ? (b + 1) * kBlock : cols;
      for (int c = b * kBlock; c < end; ++c) sums[c % 8] += from[c];
      for (int i = 1; i < 8; ++i) sums[0] += sums[i];
      before[b + 1] = sums[0];
    }
    for (int b = 0; b < blocks; ++b) before[b + 1] += before[b];
#pragma omp parallel for
    for (int b = 0; b < blocks; ++b) {
      float sum = before[b];
      const int end = (b + 1) * kBlock < cols ? (b + 1) * kBlock : cols;
      for (int c = b * kBlock; c < end; ++c) to[c] = sum += from[c];
    }
  }
}
