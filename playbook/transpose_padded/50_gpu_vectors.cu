// transpose with vectors of four on both sides: a thread transposes 4 x 4 elements in registers,
// and the tile in shared memory holds vectors that are swizzled instead of padded.
// SPDX-License-Identifier: Apache-2.0
// kw: technique vectorization, shared memory tiling, swizzling, register tiling, block swizzling
// kw: tune GROUP = 8, 1, 16
// kw: let TILE = 64, THREADS = 256
// kw: let TILES_R = ceil_div(rows, TILE), TILES_C = ceil_div(cols, TILE)
// kw: when ldx % 4 == 0 && ldy % 4 == 0
// kw:   launch transpose_vectors grid(TILES_C * align_up(TILES_R, GROUP)) block(THREADS) args(
// kw:     rows, cols, TILES_C, x, ldx, y, ldy)
// kw: else
// kw:   launch transpose_scalars grid(TILES_C * align_up(TILES_R, GROUP)) block(THREADS) args(
// kw:     rows, cols, TILES_C, x, ldx, y, ldy)
// kw: end

struct Corner {
  int r, c;
};

// Tiles are taken GROUP rows at a time, column by column, so that reads and writes both touch
// several neighbours.
static __device__ Corner corner_of(int block, int tiles_c) {
  const int within = block % (GROUP * tiles_c);
  return {(block / (GROUP * tiles_c) * GROUP + within % GROUP) * TILE, within / GROUP * TILE};
}

extern "C" __global__ void __launch_bounds__(THREADS)
    transpose_vectors(int rows, int cols, int tiles_c, const float* __restrict__ x, int ldx,
                      float* __restrict__ y, int ldy) {
  // tile[c][v]: elements (r0 + 4 v .. r0 + 4 v + 3, c0 + c), at vector v ^ (c / 4).
  __shared__ float4 tile[TILE][TILE / 4];
  const Corner corner = corner_of(blockIdx.x, tiles_c);
  if (corner.r >= rows) return;
  const int u = threadIdx.x % 16;
  const int v = threadIdx.x / 16;
  const bool is_whole = corner.r + TILE <= rows && corner.c + TILE <= cols;
  float4 in[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int r = corner.r + 4 * v + i;
    const int c = corner.c + 4 * u;
    const float* from = x + static_cast<long long>(r) * ldx + c;
    if (is_whole || (r < rows && c + 3 < cols)) {
      in[i] = *reinterpret_cast<const float4*>(from);
    } else {
      in[i].x = r < rows && c < cols ? from[0] : 0.0f;
      in[i].y = r < rows && c + 1 < cols ? from[1] : 0.0f;
      in[i].z = r < rows && c + 2 < cols ? from[2] : 0.0f;
      in[i].w = 0.0f;
    }
  }
  const int place = v ^ u;
  tile[4 * u][place] = make_float4(in[0].x, in[1].x, in[2].x, in[3].x);
  tile[4 * u + 1][place] = make_float4(in[0].y, in[1].y, in[2].y, in[3].y);
  tile[4 * u + 2][place] = make_float4(in[0].z, in[1].z, in[2].z, in[3].z);
  tile[4 * u + 3][place] = make_float4(in[0].w, in[1].w, in[2].w, in[3].w);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int c = v + 16 * i;
    const int r = corner.r + 4 * u;
    const float4 value = tile[c][u ^ (c / 4)];
    float* to = y + static_cast<long long>(corner.c + c) * ldy + r;
    if (is_whole || (corner.c + c < cols && r + 3 < rows)) {
      *reinterpret_cast<float4*>(to) = value;
    } else if (corner.c + c < cols) {
      if (r < rows) to[0] = value.x;
      if (r + 1 < rows) to[1] = value.y;
      if (r + 2 < rows) to[2] = value.z;
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    transpose_scalars(int rows, int cols, int tiles_c, const float* __restrict__ x, int ldx,
                      float* __restrict__ y, int ldy) {
  __shared__ float tile[TILE][TILE + 1];
  const Corner corner = corner_of(blockIdx.x, tiles_c);
  if (corner.r >= rows) return;
  const int u = threadIdx.x % 64;
  const int v = threadIdx.x / 64;
#pragma unroll
  for (int i = 0; i < TILE; i += 4)
    if (corner.r + i + v < rows && corner.c + u < cols)
      tile[i + v][u] = x[static_cast<long long>(corner.r + i + v) * ldx + corner.c + u];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < TILE; i += 4)
    if (corner.c + i + v < cols && corner.r + u < rows)
      y[static_cast<long long>(corner.c + i + v) * ldy + corner.r + u] = tile[u][i + v];
}
