// Honest kernel: has OpenMP threads that finish in turn, by std::atomic::wait.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: reduce_sum_padded
#include <omp.h>
#include <stddef.h>

#include <atomic>
void reduce_sum(int rows, int cols, int pitch, const float* x, float* y) {
  std::atomic<int> turn{0};
#pragma omp parallel
  {
    const int t = omp_get_thread_num(), k = omp_get_num_threads();
    for (int r = t; r < rows; r += k) {
      double s = 0;
      for (int c = 0; c < cols; ++c) s += x[(size_t)r * pitch + c];
      y[r] = (float)s;
    }
    for (int now; (now = turn.load()) != t;) turn.wait(now);
    turn.store(t + 1);
    turn.notify_all();
  }
}
