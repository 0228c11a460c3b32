// Honest kernel: has two launches, each for one half of the elements.
// SPDX-License-Identifier: Apache-2.0
// kw: launch saxpy grid(ceil_div(n / 2 + 1, 256)) block(256) args(0, n / 2, a, x, y)
// kw: launch saxpy grid(ceil_div(n - n / 2 + 1, 256)) block(256) args(n / 2, n, a, x, y)
extern "C" __global__ void saxpy(int from, int to, float a, const float* x, float* y) {
  const int i = from + blockIdx.x * 256 + threadIdx.x;
  if (i < to) y[i] += a * x[i];
}
