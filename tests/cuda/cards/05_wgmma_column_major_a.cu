// Does what the knowledge card about "wgmma with a that is k x m" says, and compares the result
// with plain code.
// SPDX-License-Identifier: Apache-2.0
#define CARD "wgmma with a that is k x m"
#include "product.cuh"
// tnspA = 1: a box of 64 rows of m is 128 bytes wide and BK rows high; 64 rows are one box, so the
// leading offset is unused.
__global__ void __launch_bounds__(128)
    product(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb,
            float* c, int m, int n, int k) {
  extern __shared__ char raw[];
  char* base = (char*)(((uintptr_t)raw + 1023) / 1024 * 1024);
  __shared__ uint64_t full;
  if (threadIdx.x == 0) bar_init(&full, 1), bar_init_fence();
  __syncthreads();
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 128;
  float d[64];
  for (int s = 0; s < (k + 63) / 64; ++s) {
    if (threadIdx.x == 0) {
      bar_expect(&full, 8192 + 16384);
      tma_load(base, &ma, row0, s * 64, &full);
      tma_load(base + 8192, &mb, s * 64, col0, &full);
    }
    bar_wait(&full, s & 1);
    wg_fence();
#pragma unroll
    for (int p = 0; p < 4; ++p)
      wgmma_n128<1, 0>(d, descriptor(smem(base) + p * 2048, 0, 1024, 1),
                       descriptor(smem(base + 8192) + p * 32, 0, 1024, 1), s > 0 || p > 0);
    wg_commit();
    wg_wait<0>();
    __syncthreads();
  }
  each_sum(d, 128, threadIdx.x, [&](int r, int j, float v) {
    if (row0 + r < m && col0 + j < n) c[(size_t)(row0 + r) * n + col0 + j] = v;
  });
}
int main() {
  const int m = 136, n = 200, k = 200;
  Product p(m, n, k);
  bf16 *a = to_device(transposed(p.a, m, k)), *b = to_device(transposed(p.b, k, n));
  float* c;
  CU(cudaMalloc(&c, (size_t)m * n * 4));
  auto ma = make_map(BF16_MAP, a, {(cuuint64_t)m, (cuuint64_t)k}, {(cuuint64_t)m * 2}, {64, 64},
                     CU_TENSOR_MAP_SWIZZLE_128B);
  auto mb = make_map(BF16_MAP, b, {(cuuint64_t)k, (cuuint64_t)n}, {(cuuint64_t)k * 2}, {64, 128},
                     CU_TENSOR_MAP_SWIZZLE_128B);
  product<<<dim3((n + 127) / 128, (m + 63) / 64), 128, 8192 + 16384 + 1024>>>(ma, mb, c, m, n, k);
  CU(cudaGetLastError());
  const long bad = p.wrong(to_host(c, (size_t)m * n));
  char text[99];
  snprintf(text, sizeof text, "(%ld wrong)", bad);
  return verdict(!bad, text);
}
