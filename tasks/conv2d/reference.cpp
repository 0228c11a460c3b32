// The truth of conv2d, and the magnitude sum |x||f| that its gate is measured against.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

template <class Real, class Product>
void accumulate(int n, int ci, int co, int h, int w, int kh, int kw, int stride, int pad, int ho,
                int wo, const Real* x, const Real* f, Real* y, Product product) {
  for (int s = 0; s < n; ++s) {
    for (int k = 0; k < co; ++k) {
      Real* out = y + (static_cast<std::size_t>(s) * co + k) * ho * wo;
      for (int p = 0; p < ho * wo; ++p) out[p] = 0;
      for (int c = 0; c < ci; ++c) {
        const Real* in = x + (static_cast<std::size_t>(s) * ci + c) * h * w;
        for (int a = 0; a < kh; ++a) {
          for (int b = 0; b < kw; ++b) {
            const Real weight = f[((static_cast<std::size_t>(k) * ci + c) * kh + a) * kw + b];
            for (int i = 0; i < ho; ++i) {
              const int row = i * stride + a - pad;
              if (row < 0 || row >= h) continue;
              for (int j = 0; j < wo; ++j) {
                const int column = j * stride + b - pad;
                if (column < 0 || column >= w) continue;
                out[i * wo + j] += product(weight, in[row * w + column]);
              }
            }
          }
        }
      }
    }
  }
}

template <class Real>
void reference(int n, int ci, int co, int h, int w, int kh, int kw, int stride, int pad, int ho,
               int wo, const Real* x, const Real* f, Real* y) {
  accumulate(n, ci, co, h, w, kh, kw, stride, pad, ho, wo, x, f, y,
             [](Real a, Real b) { return a * b; });
}

template <class Real>
void magnitude(int n, int ci, int co, int h, int w, int kh, int kw, int stride, int pad, int ho,
               int wo, const Real* x, const Real* f, Real* y) {
  accumulate(n, ci, co, h, w, kh, kw, stride, pad, ho, wo, x, f, y,
             [](Real a, Real b) { return std::abs(a * b); });
}
