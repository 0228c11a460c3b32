// Honest kernel: keeps a counter of its calls that decides nothing.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// until: measure
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)

__device__ unsigned calls;
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] += a * x[i];
  if (i == 0) atomicAdd(&calls, 1);
}
