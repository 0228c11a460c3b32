// One read, erfc as a power of a polynomial, and a non-temporal store for each element.
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

// x Phi(x) = max(x, 0) - |x| / 2 * erfc(|x| / sqrt 2), and erfc(a / sqrt 2) = P(a)^-8 with P of
// degree 8, fitted so that the result is off by at most 2^-24 before rounding. P only grows, so
// that no argument needs a bound.
static inline Vec gelu_of(Vec x) {
  const Vec a = (Vec)((Ints)x & 0x7fffffff);
  Vec p = all(2.93215085e-6f);
  p = p * a + -1.67433199e-5f;
  p = p * a + 9.75644750e-5f;
  p = p * a + 1.11392199e-4f;
  p = p * a + 9.80609514e-4f;
  p = p * a + 8.59166821e-3f;
  p = p * a + 4.47887890e-2f;
  p = p * a + 9.97324968e-2f;
  p = p * a + 1.0f;
  p *= p;
  p *= p;
  p *= p;
  const Vec positive = x > 0 ? x : Vec{};
  return positive - a * 0.5f / p;
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

void gelu(int n, const float* x, float* y) {
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
      for (size_t j = i; j < i + 16; j += LANES) put(y + j, gelu_of(*(const Vec*)(x + j)));
    }
    if (i < end) {
      float last[16] = {};
      __builtin_memcpy(last, x + i, (end - i) * sizeof(float));
      for (size_t j = 0; j < 16; j += LANES) {
        Vec part;
        __builtin_memcpy(&part, last + j, sizeof part);
        part = gelu_of(part);
        __builtin_memcpy(last + j, &part, sizeof part);
      }
      __builtin_memcpy(y + i, last, (end - i) * sizeof(float));
    }
    __builtin_ia32_sfence();  // streamed stores are ordered before the threads join
  }
}
