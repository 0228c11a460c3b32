// A softmax with a block for each row; it has helpers, a checking macro, and a comment that says k<<<1, 1>>>().
#include <cuda_runtime.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#define CUDA_CHECK(call)                                                            \
  do {                                                                              \
    cudaError_t err = (call);                                                       \
    if (err != cudaSuccess) {                                                       \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err));   \
      exit(EXIT_FAILURE);                                                           \
    }                                                                               \
  } while (0)
#define BLOCK_SIZE 256
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))

__device__ float warp_max(float v) {
  for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, o));
  return v;
}
__device__ float warp_sum(float v) {
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
  return v;
}

__global__ void softmax_kernel(const float* __restrict__ in, float* __restrict__ out, int M, int N) {
  __shared__ float shared[BLOCK_SIZE / 32];
  const int row = blockIdx.x;
  const float* x = in + (size_t)row * N;
  float* y = out + (size_t)row * N;
  float m = -FLT_MAX;
  for (int i = threadIdx.x; i < N; i += BLOCK_SIZE) m = fmaxf(m, x[i]);
  m = warp_max(m);
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = m;
  __syncthreads();
  m = shared[0];
  for (int i = 1; i < BLOCK_SIZE / 32; ++i) m = fmaxf(m, shared[i]);
  __syncthreads();
  float s = 0.0f;
  for (int i = threadIdx.x; i < N; i += BLOCK_SIZE) s += expf(x[i] - m);
  s = warp_sum(s);
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = s;
  __syncthreads();
  s = 0.0f;
  for (int i = 0; i < BLOCK_SIZE / 32; ++i) s += shared[i];
  for (int i = threadIdx.x; i < N; i += BLOCK_SIZE) y[i] = expf(x[i] - m) / s;
}

void softmax_forward(const float* in, float* out, int M, int N) {
  dim3 block(BLOCK_SIZE);
  dim3 grid(M);
  softmax_kernel<<<grid, block>>>(in, out, M, N);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}
