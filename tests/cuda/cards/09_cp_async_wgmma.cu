// Does what the knowledge card about "wgmma behind cp.async and plain stores" says, and compares
// the result with plain code.
// SPDX-License-Identifier: Apache-2.0
#define CARD "wgmma behind cp.async and plain stores"
#include "product.cuh"
// Rows whose pitch is no multiple of 16 bytes: a and b (k contiguous in both) go into the 128-byte
// swizzle by cp.async of 4 or 8 bytes, or by plain loads and stores of 2 bytes; fence.proxy.async
// by the writers, then the barrier, then wgmma.
template <int BYTES>
__device__ void stage(char* tile, const bf16* src, int pitch, int row0, int rows, int n_rows,
                      int p0, int k) {
  constexpr int E = BYTES / 2;
  for (int i = threadIdx.x; i < rows * 64 / E; i += 128) {
    const int r = i / (64 / E), col = i % (64 / E) * E, byte = col * 2;
    char* at = tile + r * 128 + (byte / 16 ^ r % 8) * 16 + byte % 16;
    const int left = row0 + r < n_rows ? min(E, max(0, k - p0 - col)) : 0;
    const bf16* from = src + (left > 0 ? (size_t)(row0 + r) * pitch + p0 + col : 0);
    if constexpr (BYTES == 2)
      *(bf16*)at = left > 0 ? *from : __float2bfloat16(0.0f);
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(smem(at)), "l"(from),
                   "n"(BYTES), "r"(left * 2)
                   : "memory");
  }
}
template <int BYTES>
__global__ void __launch_bounds__(128)
    product(const bf16* a, int lda, const bf16* b, int ldb, float* c, int m, int n, int k) {
  extern __shared__ char raw[];
  char* base = (char*)(((uintptr_t)raw + 1023) / 1024 * 1024);
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 128, steps = (k + 63) / 64;
  float d[64];
  auto issue = [&](int s) {
    if (s < steps) {
      char* at = base + s % 3 * 24576;
      stage<BYTES>(at, a, lda, row0, 64, m, s * 64, k);
      stage<BYTES>(at + 8192, b, ldb, col0, 128, n, s * 64, k);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  issue(0), issue(1);
  for (int s = 0; s < steps; ++s) {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    fence_async();
    __syncthreads();
    const uint32_t at = smem(base + s % 3 * 24576);
    wg_fence();
#pragma unroll
    for (int p = 0; p < 4; ++p)
      wgmma_n128<0, 0>(d, descriptor(at + p * 32, 0, 1024, 1),
                       descriptor(at + 8192 + p * 32, 0, 1024, 1), s > 0 || p > 0);
    wg_commit();
    issue(s + 2);
    wg_wait<0>();
  }
  each_sum(d, 128, threadIdx.x, [&](int r, int j, float v) {
    if (row0 + r < m && col0 + j < n) c[(size_t)(row0 + r) * n + col0 + j] = v;
  });
}
template <int BYTES>
long wrong(int k, int pitch) {
  const int m = 150, n = 200;
  Product p(m, n, k);
  auto padded = [&](const std::vector<bf16>& v, int rows) {
    std::vector<bf16> out((size_t)rows * pitch, __float2bfloat16(NAN));
    for (int r = 0; r < rows; ++r)
      for (int i = 0; i < k; ++i) out[(size_t)r * pitch + i] = v[(size_t)r * k + i];
    return out;
  };
  bf16 *a = to_device(padded(p.a, m)), *b = to_device(padded(transposed(p.b, k, n), n));
  float* c;
  CU(cudaMalloc(&c, (size_t)m * n * 4));
  CU(cudaFuncSetAttribute(product<BYTES>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                          3 * 24576 + 1024));
  product<BYTES><<<dim3((n + 127) / 128, (m + 63) / 64), 128, 3 * 24576 + 1024>>>(
      a, pitch, b, pitch, c, m, n, k);
  CU(cudaGetLastError());
  return p.wrong(to_host(c, (size_t)m * n));
}
int main() {
  const long a = wrong<2>(333, 333), b = wrong<4>(333, 334), c = wrong<8>(330, 332);
  char text[99];
  snprintf(text, sizeof text, "(pieces of 2 bytes: %ld, 4: %ld, 8: %ld wrong; padding is NaN)", a,
           b, c);
  return verdict(!a && !b && !c, text);
}
