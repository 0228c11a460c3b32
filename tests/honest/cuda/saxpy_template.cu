// Honest kernel: uses a kernel template, named with its arguments by the plan.
// SPDX-License-Identifier: Apache-2.0
// kw: tune WIDTH = 128, 256
// kw: launch saxpy<WIDTH> grid(ceil_div(n, WIDTH)) block(WIDTH) args(n, a, x, y)
template <int width>
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * width + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
