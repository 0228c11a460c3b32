// Gives each thread one contiguous share of whole cache lines; prefetching is a knob.
// SPDX-License-Identifier: Apache-2.0
// kw: tune AHEAD = 0, 512, 1024
// kw: tune LANES = 16, 8
// kw: technique vectorization, prefetch, threads
#include <omp.h>
#include <stddef.h>

typedef float Vec __attribute__((vector_size(LANES * 4), aligned(4), may_alias));

void saxpy(int n, float a, const float* x, float* y) {
#pragma omp parallel
  {
    // Each thread's share starts at a whole cache line of 16 elements.
    const size_t lines = ((size_t)n + 15) / 16, self = omp_get_thread_num();
    const size_t threads = omp_get_num_threads();
    const size_t share = lines * (self + 1) / threads * 16, end = share < (size_t)n ? share : n;
    size_t i = lines * self / threads * 16;
    for (; i + 16 <= end; i += 16) {
#if AHEAD
      __builtin_prefetch(x + i + AHEAD);
      __builtin_prefetch(y + i + AHEAD, 1);
#endif
      for (size_t j = i; j < i + 16; j += LANES) *(Vec*)(y + j) += a * *(const Vec*)(x + j);
    }
    for (; i < end; ++i) y[i] += a * x[i];
  }
}
