// Reads each row from memory once: two passes over the cached row give mean and variance, and a
// third writes with non-temporal stores while the next row is fetched.
// SPDX-License-Identifier: Apache-2.0
// kw: tune STREAM = 1, 0
// kw: tune AHEAD = 1, 0
// kw: tune LANES = 16, 8
// kw: technique vectorization, staging, prefetch, nontemporal_stores, threads
#include <math.h>
#include <stddef.h>

typedef float Vec __attribute__((vector_size(LANES * 4), may_alias));
typedef float Half __attribute__((vector_size(32), may_alias));

static inline Vec load(const float* from) {
  Vec value;  // copied, because from is aligned to one element only
  __builtin_memcpy(&value, from, sizeof value);
  return value;
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

static inline float sum_of(const Vec* four) {
  const Vec all = (four[0] + four[1]) + (four[2] + four[3]);
  float lane[LANES];
  __builtin_memcpy(lane, &all, sizeof all);
  for (int width = LANES / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lane[i] += lane[i + width];
  }
  return lane[0];
}

// Sum of (x - shift)^POWER over a row, four vectors side by side.
template <int POWER>
static float sum_powers(const float* in, int cols, float shift) {
  const auto power = [shift](auto v) {
    const auto d = v - shift;
    return POWER == 1 ? d : d * d;
  };
  Vec sum[4] = {};
  int i = 0;
  for (; i + 4 * LANES <= cols; i += 4 * LANES) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) sum[k] += power(load(in + i + k * LANES));
  }
  for (; i + LANES <= cols; i += LANES) sum[0] += power(load(in + i));
  float rest = 0;
  for (; i < cols; ++i) rest += power(in[i]);
  return sum_of(sum) + rest;
}

void layernorm(int rows, int cols, int pitch, float eps, const float* x, const float* w,
               const float* b, float* y) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int r = 0; r < rows; ++r) {
      const float* in = x + (size_t)r * pitch;
      float* out = y + (size_t)r * pitch;
      const float mean = sum_powers<1>(in, cols, 0) / (float)cols;
      const float squares = sum_powers<2>(in, cols, mean);
      const float factor = 1.0f / sqrtf(squares / (float)cols + eps);
      int c = 0;
      for (; c < cols && ((size_t)(out + c) & (LANES * 4 - 1)) != 0; ++c) {
        out[c] = (in[c] - mean) * factor * w[c] + b[c];
      }
      for (; c + LANES <= cols; c += LANES) {
#if AHEAD
        __builtin_prefetch(in + pitch + c);
#endif
        put(out + c, (load(in + c) - mean) * factor * load(w + c) + load(b + c));
      }
      for (; c < cols; ++c) out[c] = (in[c] - mean) * factor * w[c] + b[c];
    }
    __builtin_ia32_sfence();  // streamed stores are ordered before the threads join
  }
}
