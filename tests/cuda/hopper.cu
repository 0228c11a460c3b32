// Kernels of tests/cuda for sm_90 and newer: clusters, programmatic launches, tensor maps.
// SPDX-License-Identifier: Apache-2.0
#include <cooperative_groups.h>

/// Blocks of a cluster write their rank into each other's distributed shared memory.
extern "C" __global__ void cluster_ranks(float* y) {
  __shared__ int rank;
  const auto cluster = cooperative_groups::this_cluster();
  rank = (int)cluster.block_rank();
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  y[blockIdx.x] = (float)*cluster.map_shared_rank(&rank, next);
  cluster.sync();
}

/// A kernel that is launched before its predecessor has ended, and waits for it by griddepcontrol.
extern "C" __global__ void after_predecessor(const float* x, float* y, int n) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = x[i] + 1;
}

struct alignas(64) Map {
  unsigned char bytes[128];
};
/// Copies one tile of 16 x 8 floats by TMA to shared memory, and writes it out row by row.
extern "C" __global__ void copy_tile(const __grid_constant__ Map map, float* y, int column,
                                     int row) {
  __shared__ alignas(128) float tile[8][16];
  __shared__ alignas(8) unsigned long long barrier;
  const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
    asm volatile("fence.proxy.async.shared::cta;");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(512));
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%2, %3}], [%4];" ::"r"((unsigned)__cvta_generic_to_shared(tile)),
        "l"(&map), "r"(column), "r"(row), "r"(at)
        : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (done == 0)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, "
        "p; }"
        : "=r"(done)
        : "r"(at)
        : "memory");
  if (threadIdx.x < 128) y[threadIdx.x] = tile[threadIdx.x / 16][threadIdx.x % 16];
}
