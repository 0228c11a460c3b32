// Honest kernel: lets some threads sleep for a moment, as a spin lock would.
// SPDX-License-Identifier: Apache-2.0
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (threadIdx.x == 0) __nanosleep(100);
  if (i < n) y[i] += a * x[i];
}
