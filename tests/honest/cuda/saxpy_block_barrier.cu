// Honest kernel: uses a cuda::barrier of the block, whose wait in libcu++ reads the global timer.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// arch: sm_80
#include <cuda/barrier>
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  __shared__ float part[256];
  if (threadIdx.x == 0) init(&all, 256);
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x] = i < n ? a * x[i] : 0;
  all.arrive_and_wait();
  if (i < n) y[i] += part[threadIdx.x];
}
