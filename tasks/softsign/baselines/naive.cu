// softsign, one thread per element.
// SPDX-License-Identifier: Apache-2.0
// kw: launch softsign_naive grid(ceil_div(n, 256)) block(256) args(n, x, y)

extern "C" __global__ void softsign_naive(int n, const float* x, float* y) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) y[i] = x[i] / (1.0f + fabsf(x[i]));
}
