// Honest kernel: uses a cuda::binary_semaphore as a lock that one warp after another takes.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// arch: sm_70
#include <cuda/semaphore>
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  __shared__ alignas(8) char room[sizeof(cuda::binary_semaphore<cuda::thread_scope_block>)];
  auto* lock = reinterpret_cast<cuda::binary_semaphore<cuda::thread_scope_block>*>(room);
  if (threadIdx.x == 0) new (lock) cuda::binary_semaphore<cuda::thread_scope_block>(1);
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (threadIdx.x % 32 == 0) lock->acquire();
  __syncwarp();
  if (i < n) y[i] += a * x[i];
  __syncwarp();
  if (threadIdx.x % 32 == 0) lock->release();
}
