// A published histogram of bytes, whose bins the host clears first.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void histogram_kernel(const uint8_t* data, int n, int* bins) {
  __shared__ int local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[data[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

extern "C" void histogram(const uint8_t* data, int n, int* bins, cudaStream_t stream) {
  cudaMemsetAsync(bins, 0, 256 * sizeof(int), stream);
  const int threads = 256;
  int blocks = (n + threads * 16 - 1) / (threads * 16);
  if (blocks > 1024) blocks = 1024;
  histogram_kernel<<<blocks, threads, 0, stream>>>(data, n, bins);
}
