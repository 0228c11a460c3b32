// Honest kernel: copies and fills by the plan, not by kernels.
// SPDX-License-Identifier: Apache-2.0
// kw: workspace before f32 [n]
// kw: copy y to before
// kw: fill y[0 : n] with 0
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, before, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, const float* before, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] += before[i] + a * x[i];
}
