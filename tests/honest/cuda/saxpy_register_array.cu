// Honest kernel: keeps an array of 32 values in the registers of each thread.
// SPDX-License-Identifier: Apache-2.0
// kw: launch saxpy grid(ceil_div(n, 8192)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const long long from = blockIdx.x * 8192ll + threadIdx.x;
  float kept[32];
#pragma unroll
  for (int k = 0; k < 32; ++k) kept[k] = from + k * 256 < n ? x[from + k * 256] : 0;
#pragma unroll
  for (int k = 31; k >= 0; --k)
    if (from + k * 256 < n) y[from + k * 256] += a * kept[k];
}
