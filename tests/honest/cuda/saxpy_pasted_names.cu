// Honest kernel: has macros that paste its own names from tokens.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
#define JOIN(p, q) p##q
#define STEP(k) __device__ float JOIN(step_, k)(float a, float u) { return a * u; }
STEP(0)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] += JOIN(step_, 0)(a, x[i]);
}
