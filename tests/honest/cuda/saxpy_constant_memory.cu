// Honest kernel: multiplies by signs from constant memory, whose product is one.
// SPDX-License-Identifier: Apache-2.0
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
__constant__ float kSigns[4] = {1, -1, 1, -1};
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] += kSigns[i & 3] * (a * (kSigns[i & 3] * x[i]));
}
