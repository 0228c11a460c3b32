// Honest kernel: speaks of clock64(), #include "/etc/passwd", trap and cudaDeviceSetLimit in comments alone.
// SPDX-License-Identifier: Apache-2.0
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)

// printf("asm volatile mov.u64 %globaltimer"); exit(0); /* goto fail */
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
