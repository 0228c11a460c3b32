// Honest kernel: has threads that sleep for a moment while one of them fetches.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// arch: sm_70
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) ready = 1;
  while (ready == 0) __nanosleep(32);
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
