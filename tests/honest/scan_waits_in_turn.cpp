// Honest kernel: adds up blocks first, then scans the blocks, with threads that wait for one another by atomics.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: scan_padded
#include <omp.h>
#include <stddef.h>

#include <atomic>
#include <vector>
void scan(int rows, int cols, int pitch, const float* x, float* y) {
  for (int r = 0; r < rows; ++r) {
    const float* in = x + (size_t)r * pitch;
    float* out = y + (size_t)r * pitch;
    const int most = omp_get_max_threads();
    std::vector<double> sums((size_t)most);
    std::vector<std::atomic<int>> ready((size_t)most);
#pragma omp parallel
    {
      const int t = omp_get_thread_num(), k = omp_get_num_threads();
      const int b = (int)((long)cols * t / k), e = (int)((long)cols * (t + 1) / k);
      double sum = 0;
      for (int c = b; c < e; ++c) sum += in[c];
      sums[(size_t)t] = sum;
      ready[(size_t)t].store(1);
      ready[(size_t)t].notify_all();
      double before = 0;
      for (int u = 0; u < t; ++u) {
        ready[(size_t)u].wait(0);
        before += sums[(size_t)u];
      }
      for (int c = b; c < e; ++c) out[c] = (float)(before += in[c]);
    }
  }
}
