// Honest kernel: uses a recursive device function, which has a stack.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
__device__ __noinline__ float steps(float a, float u, int depth) {
  return depth == 0 ? a * u : steps(a, u, depth - 1);
}
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] += steps(a, x[i], (i & 3) + 1);
}
