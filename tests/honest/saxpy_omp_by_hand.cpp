// Honest kernel: computes each thread's share by hand, asks OpenMP for many facts, and changes the number of threads.
// SPDX-License-Identifier: Apache-2.0
#include <omp.h>
void saxpy(int n, float a, const float* x, float* y) {
  omp_set_max_active_levels(1);
  omp_set_dynamic(0);
  const int wanted = n < 10000 ? 1 : omp_get_max_threads();
#pragma omp parallel num_threads(wanted)
  {
    const long self = omp_get_thread_num(), all = omp_get_num_threads();
    for (long i = n * self / all; i < n * (self + 1) / all; ++i) y[i] += a * x[i];
#pragma omp barrier
  }
}
