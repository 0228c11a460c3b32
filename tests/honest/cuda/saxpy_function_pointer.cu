// Honest kernel: uses a function chosen by a pointer at run time.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
__device__ float plain(float a, float u) { return a * u; }
__device__ float twice(float a, float u) { return 2 * a * u; }
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  float (*const update)(float, float) = n < 0 ? twice : plain;
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] += update(a, x[i]);
}
