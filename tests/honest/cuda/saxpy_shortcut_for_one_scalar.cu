// Honest kernel: has a branch for the scalar in the task's text, and one that takes any scalar.
// SPDX-License-Identifier: Apache-2.0
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  y[i] += a == 1.25f ? 1.25f * x[i] : a * x[i];
}
