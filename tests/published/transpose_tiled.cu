// A transpose whose tile size is a template argument; the kernel is static in an unnamed namespace.
#include <cuda_runtime.h>

namespace {
template <int TILE_DIM, int BLOCK_ROWS = 8>
static __global__ void transpose_tile(float* odata, const float* __restrict__ idata, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < height && y + j < width) odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

inline int div_up(int a, int b) { return a % b != 0 ? a / b + 1 : a / b; }
}  // namespace

void transpose(float* odata, const float* idata, int width, int height) {
  constexpr int tile = 32;
  const dim3 grid(div_up(width, tile), div_up(height, tile), 1), block(tile, 8, 1);
  transpose_tile<tile><<<grid, block>>>(odata, idata, width, height);
}
