// Honest kernel: uses a spin lock by std::atomic_flag, with a pause and a yield.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: x86_64
#include <immintrin.h>
#include <omp.h>
#include <sched.h>

#include <atomic>
static std::atomic_flag busy = ATOMIC_FLAG_INIT;
void saxpy(int n, float a, const float* x, float* y) {
  int next = 0;
#pragma omp parallel
  for (;;) {
    for (int spins = 0; busy.test_and_set(std::memory_order_acquire); ++spins)
      if (spins % 64 == 63)
        sched_yield();
      else
        _mm_pause();
    const int begin = next;
    next += 8192;
    busy.clear(std::memory_order_release);
    if (begin >= n) break;
    for (int i = begin; i < n && i < begin + 8192; ++i) y[i] += a * x[i];
  }
}
