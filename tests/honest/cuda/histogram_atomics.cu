// Honest kernel: counts by atomics in global memory.
// SPDX-License-Identifier: Apache-2.0
// kw: fill h[0 : 256] with 0
// kw: launch histogram grid(ceil_div(n, 256)) block(256) args(n, x, h)
extern "C" __global__ void histogram(int n, const unsigned char* x, int* h) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(h + x[i], 1);
}
