// relu, one thread per element.
// SPDX-License-Identifier: Apache-2.0
// kw: launch relu_naive grid(ceil_div(n, 256)) block(256) args(n, x, y)

extern "C" __global__ void relu_naive(int n, const float* x, float* y) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}
