// A producer group and two consumer groups: setmaxnreg, four stages, wgmma m64n128k16, tile 128 x
// 128 x 64, both card forms of b: k contiguous (n x k), or row-major (k x n) with transpose flag.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "product.cuh"
template <bool ROW_MAJOR_B>
__global__ void __launch_bounds__(384, 1)
    product(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb,
            float* c, int m, int n, int k) {
  constexpr int BK = 64, STAGES = 4, A_BYTES = 128 * BK * 2, B_BYTES = 128 * BK * 2;
  extern __shared__ char raw[];
  char* base = (char*)(((uintptr_t)raw + 1023) / 1024 * 1024);
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const int group = threadIdx.x / 128, t = threadIdx.x % 128;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) bar_init(&full[i], 1), bar_init(&empty[i], 256);
    bar_init_fence();
  }
  __syncthreads();
  const int row0 = blockIdx.y * 128, col0 = blockIdx.x * 128, steps = (k + BK - 1) / BK;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (t == 0)
      for (int s = 0; s < steps; ++s) {
        const int i = s % STAGES;
        bar_wait(&empty[i], (s / STAGES & 1) ^ 1);
        bar_expect(&full[i], A_BYTES + B_BYTES);
        char* at = base + i * (A_BYTES + B_BYTES);
        tma_load(at, &ma, s * BK, row0, &full[i]);
        if constexpr (ROW_MAJOR_B) {
          tma_load(at + A_BYTES, &mb, col0, s * BK, &full[i]);
          tma_load(at + A_BYTES + BK * 128, &mb, col0 + 64, s * BK, &full[i]);
        } else {
          tma_load(at + A_BYTES, &mb, s * BK, col0, &full[i]);
        }
      }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float d[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) d[i] = 1e30f;  // p = 0 must ignore them
  for (int s = 0; s < steps; ++s) {
    const int i = s % STAGES;
    bar_wait(&full[i], s / STAGES & 1);
    const uint32_t a = smem(base + i * (A_BYTES + B_BYTES)) + (group - 1) * 64 * 128;
    const uint32_t b = smem(base + i * (A_BYTES + B_BYTES) + A_BYTES);
    wg_fence();
#pragma unroll
    for (int p = 0; p < BK / 16; ++p) {
      const uint64_t da = descriptor(a + p * 32, 0, 1024, 1);
      if constexpr (ROW_MAJOR_B)
        wgmma_n128<0, 1>(d, da, descriptor(b + p * 2048, BK * 128, 1024, 1), s > 0 || p > 0);
      else
        wgmma_n128<0, 0>(d, da, descriptor(b + p * 32, 0, 1024, 1), s > 0 || p > 0);
    }
    wg_commit();
    wg_wait<0>();
    bar_arrive(&empty[i]);
  }
  each_sum(d, 128, t, [&](int r, int j, float v) {
    r += row0 + (group - 1) * 64, j += col0;
    if (r < m && j < n) c[(size_t)r * n + j] = v;
  });
}
template <bool ROW_MAJOR_B>
long wrong_product(int m, int n, int k) {
  Product p(m, n, k);
  bf16 *a = to_device(p.a), *b = to_device(ROW_MAJOR_B ? p.b : transposed(p.b, k, n));
  float* c;
  CU(cudaMalloc(&c, (size_t)m * n * 4));
  CU(cudaMemset(c, 0xff, (size_t)m * n * 4));
  auto ma = make_map(BF16_MAP, a, {(cuuint64_t)k, (cuuint64_t)m}, {(cuuint64_t)k * 2}, {64, 128},
                     CU_TENSOR_MAP_SWIZZLE_128B);
  auto mb = ROW_MAJOR_B ? make_map(BF16_MAP, b, {(cuuint64_t)n, (cuuint64_t)k}, {(cuuint64_t)n * 2},
                                   {64, 64}, CU_TENSOR_MAP_SWIZZLE_128B)
                        : make_map(BF16_MAP, b, {(cuuint64_t)k, (cuuint64_t)n}, {(cuuint64_t)k * 2},
                                   {64, 128}, CU_TENSOR_MAP_SWIZZLE_128B);
  const int bytes = 4 * 2 * 128 * 64 * 2 + 1024;
  CU(cudaFuncSetAttribute(product<ROW_MAJOR_B>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                          bytes));
  product<ROW_MAJOR_B><<<dim3((n + 127) / 128, (m + 127) / 128), 384, bytes>>>(ma, mb, c, m, n, k);
  CU(cudaGetLastError());
  return p.wrong(to_host(c, (size_t)m * n));
}
