// Honest kernel: stages its inputs by the asynchronous copies of cooperative groups.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: sm_80
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  namespace cg = cooperative_groups;
  __shared__ float room[256];
  const int from = blockIdx.x * 256, count = min(256, n - from);
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, room, x + from, sizeof(float) * count);
  cg::wait(block);
  if ((int)threadIdx.x < count) y[from + threadIdx.x] += a * room[threadIdx.x];
}
