// Honest kernel: has a table for each thread; the tables are merged under a mutex.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include <cstdint>
#include <mutex>
void histogram(int n, const std::uint8_t* x, std::int32_t* h) {
  memset(h, 0, 256 * sizeof *h);
  std::mutex lock;
#pragma omp parallel
  {
    std::int32_t own[256] = {};
#pragma omp for nowait
    for (int i = 0; i < n; ++i) ++own[x[i]];
    std::lock_guard guard(lock);
    for (int k = 0; k < 256; ++k) h[k] += own[k];
  }
}
