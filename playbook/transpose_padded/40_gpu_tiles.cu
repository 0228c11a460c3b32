// transpose through padded tiles in shared memory; tiles that run at once lie in a square of the matrix.
// SPDX-License-Identifier: Apache-2.0
// kw: technique shared memory tiling, bank conflict padding, loads in flight, block swizzling
// kw: tune TILE = 64, 32, 128
// kw: tune ROWS = 8, 16, 4
// kw: tune GROUP = 8, 1, 16
// kw: require TILE % ROWS == 0
// kw: let LANES = TILE < 64 ? 32 : 64
// kw: require LANES * ROWS <= 1024
// kw: let TILES_R = ceil_div(rows, TILE), TILES_C = ceil_div(cols, TILE)
// kw: launch transpose_tiles grid(TILES_C * align_up(TILES_R, GROUP)) block(LANES, ROWS) shared(
// kw:   TILE * (TILE + 1) * 4) args(rows, cols, TILES_C, x, ldx, y, ldy)

extern __shared__ float4 dynamic_shared[];

extern "C" __global__ void __launch_bounds__(LANES* ROWS)
    transpose_tiles(int rows, int cols, int tiles_c, const float* __restrict__ x, int ldx,
                    float* __restrict__ y, int ldy) {
  // Tiles are taken GROUP rows at a time, column by column, so that reads and writes both touch
  // several neighbours.
  const int band = blockIdx.x / (GROUP * tiles_c);
  const int within = blockIdx.x % (GROUP * tiles_c);
  const int r0 = (band * GROUP + within % GROUP) * TILE;
  const int c0 = within / GROUP * TILE;
  if (r0 >= rows) return;
  float* tile = reinterpret_cast<float*>(dynamic_shared);
  const bool is_whole = r0 + TILE <= rows && c0 + TILE <= cols;
  const float* in = x + static_cast<long long>(r0) * ldx + c0;
  float* out = y + static_cast<long long>(c0) * ldy + r0;
  if (is_whole) {
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS) {
      const int r = i + threadIdx.y;
#pragma unroll
      for (int c = threadIdx.x; c < TILE; c += LANES)
        tile[r * (TILE + 1) + c] = in[static_cast<long long>(r) * ldx + c];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS) {
      const int c = i + threadIdx.y;
#pragma unroll
      for (int r = threadIdx.x; r < TILE; r += LANES)
        out[static_cast<long long>(c) * ldy + r] = tile[r * (TILE + 1) + c];
    }
    return;
  }
  for (int r = threadIdx.y; r < TILE && r0 + r < rows; r += ROWS)
    for (int c = threadIdx.x; c < TILE && c0 + c < cols; c += LANES)
      tile[r * (TILE + 1) + c] = in[static_cast<long long>(r) * ldx + c];
  __syncthreads();
  for (int c = threadIdx.y; c < TILE && c0 + c < cols; c += ROWS)
    for (int r = threadIdx.x; r < TILE && r0 + r < rows; r += LANES)
      out[static_cast<long long>(c) * ldy + r] = tile[r * (TILE + 1) + c];
}
