// Honest kernel: waits on an atomic of <cuda/atomic> until the first warp has written.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// arch: sm_70
#include <cuda/atomic>
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  __shared__ int word;
  if (threadIdx.x == 0) word = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> ready(word);
  if (threadIdx.x == 0) {
    ready.store(1);
    ready.notify_all();
  }
  ready.wait(0);
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
