// A published inclusive scan of rows by three kernels (sums of tiles, their scan, the tiles), in C style.
#include <cuda.h>

#define TILE 512
#if 0
void old(const float* x) { broken<<<1, 1>>>(x); }
#endif

__global__ void tile_sums(const float* x, float* sums, int cols, int tiles) {
  __shared__ float s[TILE];
  int i = blockIdx.x * TILE + threadIdx.x;
  s[threadIdx.x] = i < cols ? x[(long)blockIdx.y * cols + i] : 0;
  __syncthreads();
  for (int o = TILE / 2; o > 0; o /= 2) {
    if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.y * tiles + blockIdx.x] = s[0];
}

__global__ void scan_sums(float* sums, int tiles) {
  float run = 0;
  for (int t = 0; t < tiles; ++t) {
    float v = sums[blockIdx.x * tiles + t];
    sums[blockIdx.x * tiles + t] = run;
    run += v;
  }
}

__global__ void scan_tiles(const float* x, const float* sums, float* y, int cols, int tiles) {
  __shared__ float s[TILE];
  int i = blockIdx.x * TILE + threadIdx.x;
  s[threadIdx.x] = i < cols ? x[(long)blockIdx.y * cols + i] : 0;
  __syncthreads();
  for (int o = 1; o < TILE; o *= 2) {
    float v = threadIdx.x >= o ? s[threadIdx.x - o] : 0;
    __syncthreads();
    s[threadIdx.x] += v;
    __syncthreads();
  }
  if (i < cols) y[(long)blockIdx.y * cols + i] = s[threadIdx.x] + sums[blockIdx.y * tiles + blockIdx.x];
}

int solve(const float* x, float* y, int rows, int cols) {
  int tiles = (cols + TILE - 1) / TILE;
  float* sums;
  if (cudaMalloc((void**)&sums, sizeof(float) * rows * tiles) != cudaSuccess) return 1;
  dim3 grid(tiles, rows);
  tile_sums<<<grid, TILE>>>(x, sums, cols, tiles);
  scan_sums<<<rows, 1>>>(sums, tiles);
  scan_tiles<<<grid, TILE>>>(x, sums, y, cols, tiles);
  cudaFree(sums);
  return cudaGetLastError() == cudaSuccess ? 0 : 2;
}
