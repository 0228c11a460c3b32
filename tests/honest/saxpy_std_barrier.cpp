// Honest kernel: has OpenMP threads that meet at a std::barrier.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// until: measure
#include <omp.h>

#include <barrier>
void saxpy(int n, float a, const float* x, float* y) {
  std::barrier<> all(2);
#pragma omp parallel num_threads(2)
  {
    const int t = omp_get_thread_num(), k = omp_get_num_threads();
    for (int i = (long)n * t / k; i < (long)n * (t + 1) / k; ++i) y[i] += a * x[i];
    if (k == 2) all.arrive_and_wait();
  }
}
