// Shares planes among the threads; a vector loop covers the pixels of a row for which a tap lies
// inside the image.
// SPDX-License-Identifier: Apache-2.0
// kw: technique vectorization, loop_bounds, threads
#include <stddef.h>

static inline int min_of(int a, int b) { return a < b ? a : b; }

void conv2d(int n, int ci, int co, int h, int w, int kh, int kw, int stride, int pad, int ho,
            int wo, const float* x, const float* f, float* y) {
#pragma omp parallel for collapse(3) schedule(static)
  for (int s = 0; s < n; ++s) {
    for (int k = 0; k < co; ++k) {
      for (int i = 0; i < ho; ++i) {
        float* out = y + (((size_t)s * co + k) * ho + i) * wo;
        for (int j = 0; j < wo; ++j) out[j] = 0;
        for (int c = 0; c < ci; ++c) {
          for (int a = 0; a < kh; ++a) {
            const int row = i * stride + a - pad;
            if (row < 0 || row >= h) continue;
            const float* in = x + (((size_t)s * ci + c) * h + row) * w;
            for (int b = 0; b < kw; ++b) {
              const float weight = f[(((size_t)k * ci + c) * kh + a) * kw + b];
              const int first = b < pad ? (pad - b + stride - 1) / stride : 0;
              const int end = b < w + pad ? min_of(wo, (w - 1 + pad - b) / stride + 1) : 0;
              const float* from = in + b - pad;
#pragma omp simd
              for (int j = first; j < end; ++j) out[j] += weight * from[j * stride];
            }
          }
        }
      }
    }
  }
}
