// Every thread sums one contiguous share of the whole matrix in eight vectors side by side; rows
// that span shares are summed from their pieces in a fixed order.
// SPDX-License-Identifier: Apache-2.0
// kw: tune AHEAD = 1024, 0, 512, 2048
// kw: tune LANES = 16, 8
// kw: technique vectorization, independent_chains, prefetch, split_rows, threads
#include <omp.h>
#include <stddef.h>

typedef float Vec __attribute__((vector_size(LANES * 4), may_alias));

static const int kMostThreads = 1024;

static inline Vec load(const float* from) {
  Vec value;  // copied, because from is aligned to one element only
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

static inline float sum_of(Vec v) {
  float lane[LANES];
  __builtin_memcpy(lane, &v, sizeof v);
  for (int width = LANES / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lane[i] += lane[i + width];
  }
  return lane[0];
}

// Sums a short run. Neighbouring runs overlap in the core, so that one chain of additions for each
// is enough.
static inline float sum_short(const float* in, size_t count) {
  Vec sum = {};
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) sum += load(in + i);
  float rest = 0;
  for (; i < count; ++i) rest += in[i];
  return sum_of(sum) + rest;
}

static float sum_run(const float* in, size_t count) {
  if (count < 16 * LANES) return sum_short(in, count);
  Vec sum[8] = {};
  size_t i = 0;
  for (; i + 8 * LANES <= count; i += 8 * LANES) {
#if AHEAD
    for (int k = 0; k < 8 * LANES; k += 16) __builtin_prefetch(in + i + k + AHEAD);
#endif
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) sum[k] += load(in + i + k * LANES);
  }
  for (int width = 4; width > 0; width /= 2) {
    for (int k = 0; k < width; ++k) sum[k] += sum[k + width];
  }
  return sum_of(sum[0]) + sum_short(in + i, count - i);
}

void reduce_sum(int rows, int cols, int pitch, const float* x, float* y) {
  // Each thread's sum for its first row, which another thread has begun, and for the last row,
  // which it has begun itself.
  float head[kMostThreads], tail[kMostThreads];
  const int most = omp_get_max_threads(), team = most < kMostThreads ? most : kMostThreads;
  int threads = 1;
#pragma omp parallel num_threads(team)
  {
    const size_t self = omp_get_thread_num(), count = omp_get_num_threads();
    if (self == 0) threads = (int)count;
    const size_t all = (size_t)rows * cols;
    size_t at = all * self / count;
    const size_t end = all * (self + 1) / count;
    head[self] = tail[self] = 0;
    while (at < end) {
      const size_t r = at / cols, c = at % cols;
      const size_t run = cols - c < end - at ? cols - c : end - at;
      const float sum = sum_run(x + r * pitch + c, run);
      if (c != 0) {
        head[self] = sum;
      } else if (run < (size_t)cols) {
        tail[self] = sum;
      } else {
        y[r] = sum;
      }
      at += run;
    }
  }
  // Adds up rows that a boundary between shares cuts: they begin in one share and continue in all
  // up to their end.
  for (int t = 1; t < threads; ++t) {
    const size_t cut = (size_t)rows * cols * t / threads, r = cut / cols;
    if (cut % cols == 0) continue;
    const bool is_first = (size_t)rows * cols * (t - 1) / threads <= r * cols;
    y[r] = (is_first ? tail[t - 1] : y[r]) + head[t];
  }
}
