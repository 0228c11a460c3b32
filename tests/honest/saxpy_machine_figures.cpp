// Honest kernel: asks how many processors and how large pages are, to choose its blocks.
// SPDX-License-Identifier: Apache-2.0
#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <thread>
void saxpy(int n, float a, const float* x, float* y) {
  const long page = sysconf(_SC_PAGESIZE), processors = sysconf(_SC_NPROCESSORS_ONLN);
  const unsigned threads = std::thread::hardware_concurrency();
  const int block = (int)(page / 4) * (processors > 0 && threads > 0 ? 2 : 1);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < n; b += block)
    for (int i = b; i < n && i < b + block; ++i) y[i] += a * x[i];
}
