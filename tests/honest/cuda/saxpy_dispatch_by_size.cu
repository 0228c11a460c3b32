// Honest kernel: has one kernel for small sizes, another for large ones.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// until: measure
// kw: when n < 4096
// kw:   launch small grid(1) block(1024) args(n, a, x, y)
// kw: else
// kw:   launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
// kw: end
extern "C" __global__ void small(int n, float a, const float* x, float* y) {
  for (int i = threadIdx.x; i < n; i += 1024) y[i] += a * x[i];
}
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
