// Honest kernel: uses a loop of launches, each for a part of the elements.
// SPDX-License-Identifier: Apache-2.0
// kw: for t = 0 .. 32
// kw:   launch saxpy grid(ceil_div(n, 32 * 128) + 1) block(128) args(t, n, a, x, y)
// kw: end
extern "C" __global__ void saxpy(int part, int n, float a, const float* x, float* y) {
  const long long each = (n + 31) / 32;
  const long long k = blockIdx.x * 128 + threadIdx.x;
  const long long i = part * each + k;
  if (k < each && i < n) y[i] += a * x[i];
}
