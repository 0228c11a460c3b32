// Honest kernel: hands out its tiles by a counter that the last block resets.
// SPDX-License-Identifier: Apache-2.0
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
__device__ unsigned next, done;
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  __shared__ unsigned tile;
  if (threadIdx.x == 0) tile = atomicAdd(&next, 1);
  __syncthreads();
  const int i = tile * 256 + threadIdx.x;
  if (i < n) y[i] += a * x[i];
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&done, 1) == gridDim.x - 1) {
    next = 0;
    done = 0;
  }
}
