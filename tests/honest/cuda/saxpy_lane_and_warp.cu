// Honest kernel: reads special registers that tell neither time nor launch.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// arch: sm_70
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  unsigned lane, sm;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  const int i = blockIdx.x * 256 + (threadIdx.x & ~31) + lane + (sm == ~0u);
  if (i < n) y[i] += a * x[i];
}
