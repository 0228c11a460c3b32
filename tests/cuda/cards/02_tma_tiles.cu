// Does what the knowledge card about "tensor memory accelerator" says, and compares the result with
// plain code.
// SPDX-License-Identifier: Apache-2.0
#define CARD "tensor memory accelerator"
#include "common.cuh"
// One thread fills two buffers in turn with boxes of 64 x 32 bf16; the other warps write them to
// out. Full and empty barriers as the card tells. SWIZZLED: the chunk of 16 bytes c of row r lies
// at chunk c ^ r % 8.
template <bool SWIZZLED>
__global__ void tiles(const __grid_constant__ CUtensorMap map, int rows, int cols, bf16* out,
                      int out_cols) {
  constexpr int BYTES = 64 * 32 * 2;
  extern __shared__ char raw[];
  char* buffers = (char*)(((uintptr_t)raw + 1023) / 1024 * 1024);
  __shared__ uint64_t full[2], empty[2];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int i = 0; i < 2; ++i) bar_init(&full[i], 1), bar_init(&empty[i], 128);
    bar_init_fence();
  }
  __syncthreads();
  const int across = (cols + 63) / 64, count = across * ((rows + 31) / 32);
  if (t >= 128) {
    if (t == 128)
      for (int i = 0; i < count; ++i) {
        bar_wait(&empty[i % 2], (i / 2 & 1) ^ 1);  // parity 1 first: true at once
        bar_expect(&full[i % 2], BYTES);
        tma_load(buffers + i % 2 * BYTES, &map, i % across * 64, i / across * 32, &full[i % 2]);
      }
  } else {
    for (int i = 0; i < count; ++i) {
      bar_wait(&full[i % 2], i / 2 & 1);
      const char* tile = buffers + i % 2 * BYTES;
      for (int e = t; e < 64 * 32; e += 128) {
        const int r = e / 64, c = e % 64 * 2;
        const int at = SWIZZLED ? r * 128 + (c / 16 ^ r % 8) * 16 + c % 16 : r * 128 + c;
        out[(size_t)(i / across * 32 + r) * out_cols + i % across * 64 + e % 64] =
            *(const bf16*)(tile + at);
      }
      bar_arrive(&empty[i % 2]);
    }
  }
}
template <bool SWIZZLED>
long wrong() {
  const int rows = 75, cols = 200, pitch = 208, out_cols = 256, out_rows = 96;
  Random r;
  auto in = random_bf16(rows * pitch, r);
  bf16 *d = to_device(in), *out;
  CU(cudaMalloc(&out, out_rows * out_cols * 2));
  CU(cudaMemset(out, 0xff, out_rows * out_cols * 2));
  auto map = make_map(BF16_MAP, d, {(cuuint64_t)cols, (cuuint64_t)rows}, {(cuuint64_t)pitch * 2},
                      {64, 32}, SWIZZLED ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE);
  tiles<SWIZZLED><<<1, 160, 2 * 4096 + 1024>>>(map, rows, cols, out, out_cols);
  CU(cudaGetLastError());
  auto got = to_host(out, out_rows * out_cols);
  long bad = 0;
  for (int y = 0; y < out_rows; ++y)
    for (int x = 0; x < out_cols; ++x)
      bad += __bfloat162float(got[y * out_cols + x]) !=
             (y < rows && x < cols ? __bfloat162float(in[y * pitch + x]) : 0.0f);
  return bad;
}
int main() {
  const long a = wrong<false>(), b = wrong<true>();
  char text[99];
  snprintf(text, sizeof text, "(unswizzled: %ld, swizzled: %ld wrong; outside of sizes zeros)", a,
           b);
  return verdict(!a && !b, text);
}
