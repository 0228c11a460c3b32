// A matrix product of packed weights with windows that are gathered a panel at a time, in the
// cache.
// SPDX-License-Identifier: Apache-2.0
// kw: tune MR = 12, 8, 6
// kw: tune LANES = 16, 8
// kw: tune KC = 256, 128, 384
// kw: tune PANELS = 4, 2, 8
// kw: let NR = LANES * 2
// kw: require MR * 2 + 3 <= LANES * 2
// kw: technique implicit_gemm, packing, register_blocking, cache_blocking, vectorization, threads
#include <stddef.h>
#include <stdlib.h>

typedef float Vec __attribute__((vector_size(LANES * 4), aligned(4), may_alias));

static inline int min_of(int a, int b) { return a < b ? a : b; }
static inline int max_of(int a, int b) { return a > b ? a : b; }

struct Shape {
  int ci, co, h, w, kh, kw, stride, pad, ho, wo;
};

// Element (k, p) at p * MR + k of the panel for MR output channels; channels past the end are zero.
static void pack_weights(const Shape& s, const float* f, int taps, float* to) {
#pragma omp for schedule(static)
  for (int k0 = 0; k0 < s.co; k0 += MR) {
    float* panel = to + (size_t)k0 * taps;
    for (int k = 0; k < MR; ++k) {
      const float* from = f + (size_t)(k0 + k) * taps;
      for (int p = 0; p < taps; ++p) panel[(size_t)p * MR + k] = k0 + k < s.co ? from[p] : 0.0f;
    }
  }
}

// The inputs under tap (c, a, b) for `count` output pixels from `pixel` on, followed by zeros up to
// NR.
static void gather(const Shape& s, const float* x, int c, int a, int b, int pixel, int count,
                   float* to) {
  int i = pixel / s.wo, j = pixel % s.wo, done = 0;
  while (done < count) {
    const int run = min_of(count - done, s.wo - j), row = i * s.stride + a - s.pad;
    int t = 0;
    if (row >= 0 && row < s.h) {
      const float* from = x + ((size_t)c * s.h + row) * s.w;
      const int column = j * s.stride + b - s.pad;
      const int first = column < 0 ? min_of(run, (-column + s.stride - 1) / s.stride) : 0;
      const int end =
          column < s.w ? max_of(first, min_of(run, (s.w - 1 - column) / s.stride + 1)) : first;
      for (; t < first; ++t) to[done + t] = 0;
      if (s.stride == 1) {
        for (; t < end; ++t) to[done + t] = from[column + t];
      } else {
        for (; t < end; ++t) to[done + t] = from[column + t * s.stride];
      }
    }
    for (; t < run; ++t) to[done + t] = 0;
    done += run, j = 0, ++i;
  }
  for (; done < NR; ++done) to[done] = 0;
}

// Computes one block of y, MR channels by NR pixels, clipped at the edges; the first call writes
// the block, later calls add to it.
static void multiply(const float* weights, const float* windows, int taps, float* y, size_t plane,
                     int rows, int cols, bool first) {
  Vec sum[MR][2] = {};
  for (int p = 0; p < taps; ++p) {
    const Vec low = *(const Vec*)(windows + (size_t)p * NR);
    const Vec high = *(const Vec*)(windows + (size_t)p * NR + LANES);
#pragma GCC unroll 16
    for (int k = 0; k < MR; ++k) {
      sum[k][0] += weights[(size_t)p * MR + k] * low;
      sum[k][1] += weights[(size_t)p * MR + k] * high;
    }
  }
  if (rows == MR && cols == NR) {
#pragma GCC unroll 16
    for (int k = 0; k < MR; ++k) {
      Vec* to = (Vec*)(y + k * plane);
      to[0] = first ? sum[k][0] : to[0] + sum[k][0];
      to[1] = first ? sum[k][1] : to[1] + sum[k][1];
    }
    return;
  }
  float block[MR][NR];
  __builtin_memcpy(block, sum, sizeof block);
  for (int k = 0; k < rows; ++k) {
    float* to = y + k * plane;
    for (int j = 0; j < cols; ++j) to[j] = first ? block[k][j] : to[j] + block[k][j];
  }
}

void conv2d(int n, int ci, int co, int h, int w, int kh, int kw, int stride, int pad, int ho,
            int wo, const float* x, const float* f, float* y) {
  const Shape s = {ci, co, h, w, kh, kw, stride, pad, ho, wo};
  const int taps = ci * kh * kw, pixels = ho * wo;
  const size_t packed = (size_t)(co + MR - 1) / MR * MR * taps;
  float* weights = (float*)malloc(packed * sizeof(float));
#pragma omp parallel
  {
    alignas(64) float windows[PANELS][KC * NR];
    pack_weights(s, f, taps, weights);
#pragma omp for collapse(2) schedule(dynamic)
    for (int image = 0; image < n; ++image) {
      for (int p0 = 0; p0 < pixels; p0 += PANELS * NR) {
        const float* in = x + (size_t)image * ci * h * w;
        float* out = y + (size_t)image * co * pixels;
        for (int t0 = 0; t0 < taps; t0 += KC) {
          const int depth = min_of(KC, taps - t0);
          for (int t = 0; t < depth; ++t) {
            const int tap = t0 + t, c = tap / (kh * kw), a = tap / kw % kh, b = tap % kw;
            for (int q = 0; q < PANELS && p0 + q * NR < pixels; ++q) {
              const int pixel = p0 + q * NR;
              gather(s, in, c, a, b, pixel, min_of(NR, pixels - pixel), windows[q] + t * NR);
            }
          }
          for (int k0 = 0; k0 < co; k0 += MR) {
            const float* panel = weights + (size_t)k0 * taps + (size_t)t0 * MR;
            for (int q = 0; q < PANELS && p0 + q * NR < pixels; ++q) {
              const int pixel = p0 + q * NR;
              multiply(panel, windows[q], depth, out + (size_t)k0 * pixels + pixel, pixels,
                       min_of(MR, co - k0), min_of(NR, pixels - pixel), t0 == 0);
            }
          }
        }
      }
    }
  }
  free(weights);
}
