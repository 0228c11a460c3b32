// conv2d by its definition, one output per thread.
// SPDX-License-Identifier: Apache-2.0
// kw: launch conv2d_naive grid(ceil_div(wo, 32), ceil_div(ho, 8), min(n * co, 65535)) block(32, 8) args(
// kw:   n, ci, co, h, w, kh, kw, stride, pad, ho, wo, x, f, y)

extern "C" __global__ void conv2d_naive(int n, int ci, int co, int h, int w, int kh, int kw, int stride,
                                  int pad, int ho, int wo, const float* x, const float* f, float* y) {
  const int row = blockIdx.y * 8 + threadIdx.y;
  const int column = blockIdx.x * 32 + threadIdx.x;
  if (row >= ho || column >= wo) return;
  for (int image = blockIdx.z; image < n * co; image += gridDim.z) {
    const float* weight = f + static_cast<long long>(image % co) * ci * kh * kw;
    float sum = 0;
    for (int p = 0; p < ci; ++p) {
      const float* in = x + (static_cast<long long>(image / co) * ci + p) * h * w;
      for (int a = 0; a < kh; ++a) {
        const int i = row * stride + a - pad;
        if (i < 0 || i >= h) continue;
        for (int b = 0; b < kw; ++b) {
          const int j = column * stride + b - pad;
          if (j >= 0 && j < w) sum += in[i * w + j] * weight[(p * kh + a) * kw + b];
        }
      }
    }
    y[(static_cast<long long>(image) * ho + row) * wo + column] = sum;
  }
}
