// Honest kernel: prefetches into the L2 cache data that the same call reads a little later.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: sm_80
// kw: launch saxpy grid(sms * 4) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const long long step = gridDim.x * 256ll;
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < n; i += step) {
    if (i + step < n) asm volatile("prefetch.global.L2 [%0];" ::"l"(x + i + step));
    y[i] += a * x[i];
  }
}
