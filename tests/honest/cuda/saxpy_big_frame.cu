// Honest kernel: keeps 3 KiB in the local memory of every thread, all of it written before it is read.
// SPDX-License-Identifier: Apache-2.0
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  float kept[768];
  for (int k = 0; k < 768; ++k) kept[k] = x[i] * (float)(k & 1);
  y[i] += a * kept[i % 384 * 2 + 1];
}
