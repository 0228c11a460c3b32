// Honest kernel: uses an array in local memory, indexed at run time.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float parts[16];
  for (int k = 0; k < 16; ++k) parts[k] = a;
  if (i < n) y[i] += parts[(i * 7) & 15] * x[i];
}
