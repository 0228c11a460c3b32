// Reads each element once and writes its result with a non-temporal store.
// SPDX-License-Identifier: Apache-2.0
// kw: tune STREAM = 1, 0
// kw: tune AHEAD = 512, 0, 1024
// kw: tune LANES = 16, 8
// kw: technique vectorization, nontemporal_stores, prefetch, threads
#include <omp.h>
#include <stddef.h>

typedef float Vec __attribute__((vector_size(LANES * 4), may_alias));
typedef float Half __attribute__((vector_size(32), may_alias));

static inline Vec relu_of(Vec x) { return x > 0 ? x : Vec{}; }

// Stores a vector to an aligned address, with a non-temporal store where STREAM is set.
static inline void put(float* to, Vec value) {
#if !STREAM
  *(Vec*)to = value;
#elif defined(__clang__)
  __builtin_nontemporal_store(value, (Vec*)to);
#elif LANES == 16 && defined(__AVX512F__)
  __builtin_ia32_movntps512(to, value);
#else
  Half half[LANES / 8];
  __builtin_memcpy(half, &value, sizeof value);
  for (int i = 0; i < LANES / 8; ++i) __builtin_ia32_movntps256(to + 8 * i, half[i]);
#endif
}

void relu(int n, const float* x, float* y) {
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
#endif
      for (size_t j = i; j < i + 16; j += LANES) put(y + j, relu_of(*(const Vec*)(x + j)));
    }
    if (i < end) {
      float last[16] = {};
      __builtin_memcpy(last, x + i, (end - i) * sizeof(float));
      for (size_t j = 0; j < 16; j += LANES) {
        Vec part;
        __builtin_memcpy(&part, last + j, sizeof part);
        part = relu_of(part);
        __builtin_memcpy(last + j, &part, sizeof part);
      }
      __builtin_memcpy(y + i, last, (end - i) * sizeof(float));
    }
    __builtin_ia32_sfence();  // streamed stores are ordered before the threads join
  }
}
