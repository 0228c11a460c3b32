// A relu with a grid-stride loop, whose grid size depends on the device.
#include <cuda_runtime.h>
#include <algorithm>
#define BLOCK 256

__launch_bounds__(BLOCK) __global__ void relu(float* __restrict__ y, const float* __restrict__ x, size_t n) {
  for (size_t i = blockIdx.x * size_t(BLOCK) + threadIdx.x; i < n; i += size_t(gridDim.x) * BLOCK)
    y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}

void launch_relu(const float* x, float* y, size_t n, cudaStream_t stream = 0) {
  int device = 0, sms = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  const int grid = std::min<int>((n + BLOCK - 1) / BLOCK, 8 * sms);
  relu<<<grid, BLOCK, 0, stream>>>(y, x, n);
}
