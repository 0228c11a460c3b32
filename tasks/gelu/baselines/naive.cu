// gelu, one thread per element.
// SPDX-License-Identifier: Apache-2.0
// kw: launch gelu_naive grid(ceil_div(n, 256)) block(256) args(n, x, y)

extern "C" __global__ void gelu_naive(int n, const float* x, float* y) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
}
