// Honest kernel: loads and stores with hints that the caches need not keep the data.
// SPDX-License-Identifier: Apache-2.0
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) __stcs(y + i, __ldcs(y + i) + a * __ldcs(x + i));
}
