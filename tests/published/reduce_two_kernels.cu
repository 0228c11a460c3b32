// Published row sums by two kernels with partial sums between them, called with host pointers.
#include <cuda_runtime.h>

namespace reduction {

constexpr int kThreads = 256;
constexpr int kParts = 8;

__global__ void partial_sums(const float* x, float* partial, int cols) {
  __shared__ float shared[kThreads];
  const int row = blockIdx.x;
  float s = 0;
  for (int i = blockIdx.y * kThreads + threadIdx.x; i < cols; i += kParts * kThreads) s += x[(size_t)row * cols + i];
  shared[threadIdx.x] = s;
  __syncthreads();
  for (int o = kThreads / 2; o > 0; o /= 2) {
    if (threadIdx.x < o) shared[threadIdx.x] += shared[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[row * kParts + blockIdx.y] = shared[0];
}

__global__ void final_sums(const float* partial, float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float s = 0;
  for (int i = 0; i < kParts; ++i) s += partial[row * kParts + i];
  y[row] = s;
}

}  // namespace reduction

void row_sums(const float* h_in, float* h_out, int rows, int cols) {
  using namespace reduction;
  float *d_in, *d_out, *d_partial;
  const size_t in_bytes = size_t(rows) * cols * sizeof(float);
  cudaMalloc(&d_in, in_bytes);
  cudaMalloc(&d_out, rows * sizeof(float));
  cudaMalloc(&d_partial, rows * kParts * sizeof(float));
  cudaMemcpy(d_in, h_in, in_bytes, cudaMemcpyHostToDevice);
  partial_sums<<<dim3(rows, kParts), kThreads>>>(d_in, d_partial, cols);
  final_sums<<<(rows - 1) / 128 + 1, 128>>>(d_partial, d_out, rows);
  cudaMemcpy(h_out, d_out, rows * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  cudaFree(d_partial);
}
