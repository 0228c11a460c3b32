// swish, one thread per element.
// SPDX-License-Identifier: Apache-2.0
// kw: launch swish_naive grid(ceil_div(n, 256)) block(256) args(n, beta, x, y)

extern "C" __global__ void swish_naive(int n, float beta, const float* x, float* y) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) y[i] = x[i] / (1.0f + expf(-beta * x[i]));
}
