// Reads eight keys at a time and counts them in several tables by turns, so that equal keys in a
// row do not wait for each other.
// SPDX-License-Identifier: Apache-2.0
// kw: tune TABLES = 4, 8, 16
// kw: tune AHEAD = 2048, 0, 4096
// kw: technique private_tables, independent_chains, prefetch, threads
#include <omp.h>
#include <stddef.h>
#include <stdint.h>

void histogram(int n, const uint8_t* x, int32_t* h) {
  for (int k = 0; k < 256; ++k) h[k] = 0;
#pragma omp parallel
  {
    alignas(64) uint32_t table[TABLES][256] = {};
    const size_t self = omp_get_thread_num(), threads = omp_get_num_threads();
    // Each thread's share starts at a whole cache line.
    const size_t lines = ((size_t)n + 63) / 64, share = lines * (self + 1) / threads * 64;
    const size_t end = share < (size_t)n ? share : n;
    size_t i = lines * self / threads * 64;
    for (; i + 64 <= end; i += 64) {
#if AHEAD
      __builtin_prefetch(x + i + AHEAD);
#endif
      uint64_t word[8];
      __builtin_memcpy(word, x + i, sizeof word);
#pragma GCC unroll 8
      for (int w = 0; w < 8; ++w) {
#pragma GCC unroll 8
        for (int b = 0; b < 8; ++b) ++table[(w * 8 + b) % TABLES][word[w] >> (8 * b) & 255];
      }
    }
    for (; i < end; ++i) ++table[i % TABLES][x[i]];
    for (int t = 1; t < TABLES; ++t) {
      for (int k = 0; k < 256; ++k) table[0][k] += table[t][k];
    }
#pragma omp critical
    for (int k = 0; k < 256; ++k) h[k] += table[0][k];
  }
}
