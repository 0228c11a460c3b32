// Honest kernel: adds both terms into a workspace that begins as zeros.
// SPDX-License-Identifier: Apache-2.0
// kw: workspace sum f32 [n] zeroed
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y, sum)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y, float* sum) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  sum[i] += a * x[i];
  sum[i] += y[i];
  y[i] = sum[i];
}
