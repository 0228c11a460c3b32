// Honest kernel: has a constant table in its plan that gives the order in which the blocks are visited.
// SPDX-License-Identifier: Apache-2.0
// kw: table order i32 [i < 8 : 7 - i]
// kw: launch saxpy grid(8 * ceil_div(n, 2048)) block(256) args(n, a, x, y, order)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y, const int* order) {
  const int i = (blockIdx.x / 8 * 8 + order[blockIdx.x % 8]) * 256 + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
