// Honest kernel: uses a cuda::latch that the threads of a block count down.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// arch: sm_70
#include <cuda/latch>
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  __shared__ alignas(cuda::latch<cuda::thread_scope_block>) char room[sizeof(cuda::latch<cuda::thread_scope_block>)];
  auto* ready = reinterpret_cast<cuda::latch<cuda::thread_scope_block>*>(room);
  __shared__ float part[256];
  if (threadIdx.x == 0) new (ready) cuda::latch<cuda::thread_scope_block>(256);
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x] = i < n ? a * x[i] : 0;
  ready->arrive_and_wait();
  if (i < n) y[i] += part[threadIdx.x];
}
