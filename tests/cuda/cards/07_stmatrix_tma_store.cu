// Does what the knowledge card about "stmatrix and TMA store" says, and compares the result with
// plain code.
// SPDX-License-Identifier: Apache-2.0
#define CARD "stmatrix and TMA store"
#include "product.cuh"
// The sums of m64n128 go as bf16 into two boxes of 64 x 64 (swizzle 128) by stmatrix, then by TMA
// to global memory.
template <bool TRANSPOSED>
__global__ void __launch_bounds__(128)
    epilogue(const float* sums, const __grid_constant__ CUtensorMap map, int n) {
  extern __shared__ char raw[];
  char* base = (char*)(((uintptr_t)raw + 1023) / 1024 * 1024);
  const int t = threadIdx.x, row0 = blockIdx.y * 64, col0 = blockIdx.x * 128;
  float d[64];
  const int row = t / 32 * 16 + t % 32 / 4;
#pragma unroll
  for (int i = 0; i < 16; ++i)
    for (int e = 0; e < 4; ++e)
      d[4 * i + e] = sums[(size_t)(row0 + row + e / 2 * 8) * n + col0 + 8 * i + t % 4 * 2 + e % 2];
  const int lane = t % 32, warp = t / 32;
#pragma unroll
  for (int i = 0; i < 16; i += 2) {
    // Matrices: (rows 0-7, columns 8 i ..), (rows 8-15, the same), (rows 0-7, columns 8 i + 8 ..),
    // (rows 8-15, the same).
    uint32_t v[4];
    for (int q = 0; q < 4; ++q) {
      __nv_bfloat162 two = __floats2bfloat162_rn(d[4 * i + 2 * q], d[4 * i + 2 * q + 1]);
      v[q] = *(uint32_t*)&two;
    }
    // Lane l gives the address of row l % 8 of matrix l / 8.
    if constexpr (!TRANSPOSED) {
      const int r = warp * 16 + lane % 16, chunk = i + lane / 16;
      char* at = base + chunk / 8 * 8192 + r * 128 + (chunk % 8 ^ r % 8) * 16;
      asm volatile(
          "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(smem(at)),
          "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
          : "memory");
    } else {  // the transpose has 128 rows of 64 columns: one box; a row of a matrix is a column of
              // the sums
      const int q = lane / 8, r = (i + q / 2) * 8 + lane % 8, chunk = warp * 2 + q % 2;
      char* at = base + r * 128 + (chunk ^ r % 8) * 16;
      asm volatile(
          "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(smem(at)),
          "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
          : "memory");
    }
  }
  fence_async();
  __syncthreads();
  if (t == 0) {
    for (int half = 0; half < (TRANSPOSED ? 1 : 2); ++half)
      asm volatile(
          "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
          "r"(TRANSPOSED ? row0 : col0 + 64 * half), "r"(TRANSPOSED ? col0 : row0),
          "r"(smem(base + half * 8192))
          : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}
template <bool TRANSPOSED>
long wrong() {
  const int m = 128, n = 256, real_m = 104,
            real_n = 200;  // what lies beyond the sizes of the map is not written
  Random r;
  std::vector<float> sums(m * n);
  for (auto& v : sums) v = r.real();
  float* d = to_device(sums);
  bf16* out;
  const int rows = TRANSPOSED ? n : m, cols = TRANSPOSED ? m : n,
            real_rows = TRANSPOSED ? real_n : real_m, real_cols = TRANSPOSED ? real_m : real_n;
  CU(cudaMalloc(&out, m * n * 2));
  CU(cudaMemset(out, 0xff, m * n * 2));
  auto map =
      make_map(BF16_MAP, out, {(cuuint64_t)real_cols, (cuuint64_t)real_rows},
               {(cuuint64_t)cols * 2}, {64, TRANSPOSED ? 128u : 64u}, CU_TENSOR_MAP_SWIZZLE_128B);
  epilogue<TRANSPOSED><<<dim3(n / 128, m / 64), 128, 16384 + 1024>>>(d, map, n);
  CU(cudaGetLastError());
  auto got = to_host(out, m * n);
  long bad = 0;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < cols; ++x) {
      const uint16_t bits = *(uint16_t*)&got[y * cols + x];
      const bf16 want = __float2bfloat16(TRANSPOSED ? sums[x * n + y] : sums[y * n + x]);
      bad += bits != (y < real_rows && x < real_cols ? *(uint16_t*)&want : 0xffff);
    }
  return bad;
}
int main() {
  const long a = wrong<false>(), b = wrong<true>();
  char text[99];
  snprintf(text, sizeof text, "(straight: %ld, transposed: %ld wrong; outside of sizes unwritten)",
           a, b);
  return verdict(!a && !b, text);
}
