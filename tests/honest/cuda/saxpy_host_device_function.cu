// Honest kernel: has a function for host and device, as headers do.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
__host__ __device__ inline float product(float a, float u) { return a * u; }
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] += product(a, x[i]);
}
