// The reference loops of conv2d, planes of the output shared among the threads.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

void conv2d(int n, int ci, int co, int h, int w, int kh, int kw, int stride, int pad, int ho,
            int wo, const float* x, const float* f, float* y) {
#pragma omp parallel for collapse(2)
  for (int s = 0; s < n; ++s) {
    for (int k = 0; k < co; ++k) {
      float* out = y + ((size_t)s * co + k) * ho * wo;
      for (int p = 0; p < ho * wo; ++p) out[p] = 0;
      for (int c = 0; c < ci; ++c) {
        const float* in = x + ((size_t)s * ci + c) * h * w;
        for (int a = 0; a < kh; ++a) {
          for (int b = 0; b < kw; ++b) {
            const float weight = f[(((size_t)k * ci + c) * kh + a) * kw + b];
            for (int i = 0; i < ho; ++i) {
              const int row = i * stride + a - pad;
              if (row < 0 || row >= h) continue;
              for (int j = 0; j < wo; ++j) {
                const int column = j * stride + b - pad;
                if (column < 0 || column >= w) continue;
                out[i * wo + j] += weight * in[row * w + column];
              }
            }
          }
        }
      }
    }
  }
}
