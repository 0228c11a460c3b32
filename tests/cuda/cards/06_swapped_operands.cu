// Does what the knowledge card about "skinny products with swapped operands" says, and compares the
// result with plain code.
// SPDX-License-Identifier: Apache-2.0
#define CARD "skinny products with swapped operands"
#include "product.cuh"
// c^T = b^T a^T: 64 columns of the row-major b (k x n) are the rows of the instruction (tnspA = 1),
// the m <= 16 rows of the row-major a (m x k) its columns (N = 16, k contiguous, no transposition).
// Rows of a beyond m are zeros of the map.
__global__ void __launch_bounds__(128)
    product(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb,
            float* c, int m, int n, int k) {
  extern __shared__ char raw[];
  char* base = (char*)(((uintptr_t)raw + 1023) / 1024 * 1024);
  __shared__ uint64_t full;
  if (threadIdx.x == 0) bar_init(&full, 1), bar_init_fence();
  __syncthreads();
  const int col0 = blockIdx.x * 64, steps = (k + 63) / 64;
  // split-k: blockIdx.y takes every gridDim.y-th step, and adds into zeroed c
  float d[8];
  int turn = 0;
  for (int s = blockIdx.y; s < steps; s += gridDim.y, ++turn) {
    if (threadIdx.x == 0) {
      bar_expect(&full, 8192 + 2048);
      tma_load(base, &mb, col0, s * 64, &full);
      tma_load(base + 8192, &ma, s * 64, 0, &full);
    }
    bar_wait(&full, turn & 1);
    wg_fence();
#pragma unroll
    for (int p = 0; p < 4; ++p)
      wgmma_n16<1, 0>(d, descriptor(smem(base) + p * 2048, 0, 1024, 1),
                      descriptor(smem(base + 8192) + p * 32, 0, 1024, 1), turn > 0 || p > 0);
    wg_commit();
    wg_wait<0>();
    __syncthreads();
  }
  each_sum(d, 16, threadIdx.x, [&](int r, int j, float v) {
    if (j < m && col0 + r < n) atomicAdd(&c[(size_t)j * n + col0 + r], v);
  });
}
int main() {
  long bad = 0;
  for (int m : {1, 5, 8, 13, 16}) {
    const int n = 328, k = 584;
    Product p(m, n, k);
    bf16 *a = to_device(p.a), *b = to_device(p.b);
    float* c;
    CU(cudaMalloc(&c, (size_t)m * n * 4));
    CU(cudaMemset(c, 0, (size_t)m * n * 4));
    auto ma = make_map(BF16_MAP, a, {(cuuint64_t)k, (cuuint64_t)m}, {(cuuint64_t)k * 2}, {64, 16},
                       CU_TENSOR_MAP_SWIZZLE_128B);
    auto mb = make_map(BF16_MAP, b, {(cuuint64_t)n, (cuuint64_t)k}, {(cuuint64_t)n * 2}, {64, 64},
                       CU_TENSOR_MAP_SWIZZLE_128B);
    product<<<dim3((n + 63) / 64, 3), 128, 8192 + 2048 + 1024>>>(ma, mb, c, m, n, k);
    CU(cudaGetLastError());
    bad += p.wrong(to_host(c, (size_t)m * n));
  }
  char text[99];
  snprintf(text, sizeof text, "(%ld wrong; m = 1, 5, 8, 13, 16, split over k)", bad);
  return verdict(!bad, text);
}
