// Honest kernel: has blocks in clusters of four that exchange their products through each other's shared memory.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: sm_90
// kw: launch saxpy grid(4 * ceil_div(n, 1024)) block(256) cluster(4) args(n, a, x, y)
#include <cooperative_groups.h>
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const auto cluster = cooperative_groups::this_cluster();
  __shared__ float room[256];
  const int first = (blockIdx.x & ~3u) * 256, mine = cluster.block_rank(), other = (mine + 1) & 3;
  const int read = first + other * 256 + threadIdx.x, write = first + mine * 256 + threadIdx.x;
  room[threadIdx.x] = read < n ? a * x[read] : 0;
  cluster.sync();
  const float product = cluster.map_shared_rank(room, (mine + 3) & 3)[threadIdx.x];
  if (write < n) y[write] += product;
  cluster.sync();
}
