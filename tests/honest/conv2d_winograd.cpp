// Honest kernel: uses Winograd's F(2x2, 3x3) where the window is 3 x 3 and the stride is 1, else plain loops.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: conv2d
#include <vector>
namespace {
// Each function transforms one row: G g of a filter, B^T d of an input, A^T m of an output.
void filter_row(const float* g, long step, float* out, long by) {
  out[0] = g[0];
  out[by] = (g[0] + g[step] + g[2 * step]) * 0.5f;
  out[2 * by] = (g[0] - g[step] + g[2 * step]) * 0.5f;
  out[3 * by] = g[2 * step];
}
void input_row(const float* d, long step, float* out, long by) {
  out[0] = d[0] - d[2 * step];
  out[by] = d[step] + d[2 * step];
  out[2 * by] = d[2 * step] - d[step];
  out[3 * by] = d[step] - d[3 * step];
}
void winograd(int n, int ci, int co, int h, int w, int pad, int ho, int wo, const float* x,
              const float* f, float* y) {
  std::vector<float> u((long)co * ci * 16);
  for (long e = 0; e < (long)co * ci; ++e) {
    float rows[12];
    for (int j = 0; j < 3; ++j) filter_row(f + e * 9 + j, 3, rows + j, 3);
    for (int i = 0; i < 4; ++i) filter_row(rows + i * 3, 1, &u[e * 16 + i * 4], 1);
  }
  const int down = (ho + 1) / 2, across = (wo + 1) / 2;
#pragma omp parallel for
  for (long t = 0; t < (long)n * down; ++t) {
    const long s = t / down;
    const int i0 = (int)(t % down) * 2;
    std::vector<float> v((long)ci * 16);
    for (int j0 = 0; j0 < across * 2; j0 += 2) {
      for (int c = 0; c < ci; ++c) {
        float d[16], rows[16];
        for (int i = 0; i < 4; ++i)
          for (int j = 0; j < 4; ++j) {
            const int r = i0 + i - pad, q = j0 + j - pad;
            const bool inside = r >= 0 && r < h && q >= 0 && q < w;
            d[i * 4 + j] = inside ? x[((s * ci + c) * h + r) * w + q] : 0;
          }
        for (int j = 0; j < 4; ++j) input_row(d + j, 4, rows + j, 4);
        for (int i = 0; i < 4; ++i) input_row(rows + i * 4, 1, &v[(long)c * 16 + i * 4], 1);
      }
      for (int k = 0; k < co; ++k) {
        float m[16] = {};
        for (int c = 0; c < ci; ++c)
          for (int e = 0; e < 16; ++e) m[e] += u[((long)k * ci + c) * 16 + e] * v[(long)c * 16 + e];
        float rows[8];
        for (int j = 0; j < 4; ++j) {
          rows[j] = m[j] + m[4 + j] + m[8 + j];
          rows[4 + j] = m[4 + j] - m[8 + j] - m[12 + j];
        }
        for (int i = 0; i < 2 && i0 + i < ho; ++i) {
          float* out = y + ((s * co + k) * ho + i0 + i) * wo + j0;
          const float* row = rows + i * 4;
          out[0] = row[0] + row[1] + row[2];
          if (j0 + 1 < wo) out[1] = row[1] - row[2] - row[3];
        }
      }
    }
  }
}
}  // namespace
void conv2d(int n, int ci, int co, int h, int w, int kh, int kw, int stride, int pad, int ho,
            int wo, const float* x, const float* f, float* y) {
  if (kh == 3 && kw == 3 && stride == 1) return winograd(n, ci, co, h, w, pad, ho, wo, x, f, y);
#pragma omp parallel for
  for (long e = 0; e < (long)n * co; ++e)
    for (int i = 0; i < ho; ++i)
      for (int j = 0; j < wo; ++j) {
        float sum = 0;
        for (int c = 0; c < ci; ++c)
          for (int a = 0; a < kh; ++a)
            for (int b = 0; b < kw; ++b) {
              const int r = i * stride + a - pad, q = j * stride + b - pad;
              if (r < 0 || r >= h || q < 0 || q >= w) continue;
              sum +=
                  x[((e / co * ci + c) * h + r) * w + q] * f[((e % co * ci + c) * kh + a) * kw + b];
            }
        y[(e * ho + i) * wo + j] = sum;
      }
}
