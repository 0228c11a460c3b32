// Honest kernel: writes the multiply-add in inline assembly.
// SPDX-License-Identifier: Apache-2.0
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  float v = y[i];
  asm("fma.rn.f32 %0, %1, %2, %0;" : "+f"(v) : "f"(a), "f"(x[i]));
  y[i] = v;
}
