// Honest kernel: passes values through the lanes of a warp and back.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float v = i < n ? x[i] : 0;
  v = __shfl_xor_sync(~0u, v, 1);
  v = __shfl_xor_sync(~0u, v, 1);
  if (i < n) y[i] += a * v;
}
