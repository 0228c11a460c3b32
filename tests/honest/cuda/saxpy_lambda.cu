// Honest kernel: uses a lambda handed to a template.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
template <class F>
__device__ void each(int n, F f) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) f(i);
}
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  each(n, [=](int i) { y[i] += a * x[i]; });
}
