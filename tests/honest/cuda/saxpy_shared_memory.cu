// Honest kernel: uses more than 48 KiB of dynamic shared memory.
// SPDX-License-Identifier: Apache-2.0
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) shared(64512) carveout(100) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  extern __shared__ float room[];
  const int i = blockIdx.x * 256 + threadIdx.x;
  room[threadIdx.x * 63] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n) y[i] += a * room[threadIdx.x * 63];
}
