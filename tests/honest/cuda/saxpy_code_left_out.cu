// What the preprocessor leaves out is no code: clocks, printing and the heap behind #if 0 and #ifdef.
// SPDX-License-Identifier: Apache-2.0
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
#if 0
  const long long began = clock64();
  float* more = (float*)malloc(64);
#endif
#ifdef DEBUG_THIS_KERNEL
  if (i == 0) printf("%d\n", n);
#endif
  if (i < n) y[i] += a * x[i];
}
