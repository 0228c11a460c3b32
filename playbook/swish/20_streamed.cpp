// For each element one read, a polynomial exponential, a division, and a non-temporal store.
// SPDX-License-Identifier: Apache-2.0
// kw: tune STREAM = 1, 0
// kw: tune AHEAD = 512, 0, 1024
// kw: tune LANES = 16, 8
// kw: technique vectorization, polynomial_approximation, nontemporal_stores, prefetch, threads
#include <omp.h>
#include <stddef.h>

typedef float Vec __attribute__((vector_size(LANES * 4), may_alias));
typedef float Half __attribute__((vector_size(32), may_alias));
typedef int Ints __attribute__((vector_size(LANES * 4), may_alias));

static inline Vec all(float value) { return value - Vec{}; }

// 2^t, relative error 2.6e-9 before rounding; arguments are held inside the normal numbers.
static inline Vec exp2_of(Vec t) {
  t = t > -126.0f ? t : all(-126.0f);
  t = t < 126.0f ? t : all(126.0f);
  const float shifter = 12582912.0f;  // 1.5 * 2^23: the sum's low bits are the rounded integer
  const Vec shifted = t + shifter;
  const Vec r = t - (shifted - shifter);
  // Interpolates 2^r at the Chebyshev points of [-1/2, 1/2].
  Vec p = all(0.000154614447f);
  p = p * r + 0.00134004282f;
  p = p * r + 0.00961805668f;
  p = p * r + 0.0555032723f;
  p = p * r + 0.240226509f;
  p = p * r + 0.693147207f;
  p = p * r + 1.0f;
  return (Vec)((Ints)p + ((Ints)shifted << 23));
}

static inline Vec swish_of(Vec x, float beta) {
  return x / (exp2_of(x * (beta * -1.44269504f)) + 1.0f);
}

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

void swish(int n, float beta, const float* x, float* y) {
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
      for (size_t j = i; j < i + 16; j += LANES) put(y + j, swish_of(*(const Vec*)(x + j), beta));
    }
    if (i < end) {
      float last[16] = {};
      __builtin_memcpy(last, x + i, (end - i) * sizeof(float));
      for (size_t j = 0; j < 16; j += LANES) {
        Vec part;
        __builtin_memcpy(&part, last + j, sizeof part);
        part = swish_of(part, beta);
        __builtin_memcpy(last + j, &part, sizeof part);
      }
      __builtin_memcpy(y + i, last, (end - i) * sizeof(float));
    }
    __builtin_ia32_sfence();  // streamed stores are ordered before the threads join
  }
}
