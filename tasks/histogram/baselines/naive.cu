// histogram with one table per block in shared memory.
// SPDX-License-Identifier: Apache-2.0
// kw: fill h with 0
// kw: launch histogram_naive grid(min(sms * 8, ceil_div(n, 256))) block(256) args(n, x, h)

extern "C" __global__ void histogram_naive(int n, const unsigned char* x, int* h) {
  __shared__ int counts[256];
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n; i += gridDim.x * 256LL)
    atomicAdd(&counts[x[i]], 1);
  __syncthreads();
  atomicAdd(&h[threadIdx.x], counts[threadIdx.x]);
}
