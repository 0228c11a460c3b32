// A program of which no part can be expressed as a plan, each for a different reason.
#include <cub/cub.cuh>
#include <cuda_runtime.h>

__constant__ float scale[4];

__global__ void child(float* y) { y[threadIdx.x] *= scale[0]; }

__global__ void parent(const float* x, float* y, int n) {
  if (threadIdx.x == 0) child<<<1, 32>>>(y);
}

__global__ void halve(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += y[i + n];
}

extern "C" void solve(const float* x, float* y, int N) {
  float host[4] = {1, 2, 3, 4};
  cudaMemcpyToSymbol(scale, host, sizeof(host));
  int grid, block;
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, parent, 0, 0);
  parent<<<grid, block>>>(x, y, N);
  for (int n = N / 2; n > 0; n /= 2) halve<<<(n + 255) / 256, 256>>>(y, n);
  cub::DeviceReduce::Sum(nullptr, N, x, y, N);
}
