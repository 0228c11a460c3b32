// Honest kernel: has registers of inline PTX whose names begin like those of clocks.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// arch: sm_70
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  int same;
  asm("{ .reg .b32 %clock_of_mine; mov.b32 %clock_of_mine, %1; mov.b32 %0, %clock_of_mine; }" : "=r"(same) : "r"(i));
  if (same < n) y[same] += a * x[same];
}
