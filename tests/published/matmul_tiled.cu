// A published tiled product with the sizes of one puzzle site: A is M x N, B is N x K, C is M x K.
#include <cuda_runtime.h>
#define TILE 16

__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[TILE][TILE];
  __shared__ float b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < (N + TILE - 1) / TILE; ++t) {
    int k = t * TILE + threadIdx.x;
    a[threadIdx.y][threadIdx.x] = row < M && k < N ? A[row * N + k] : 0.0f;
    k = t * TILE + threadIdx.y;
    b[threadIdx.y][threadIdx.x] = k < N && col < K ? B[k * K + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < K) C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  dim3 threadsPerBlock(TILE, TILE);
  dim3 blocksPerGrid((K + threadsPerBlock.x - 1) / threadsPerBlock.x,
                     (M + threadsPerBlock.y - 1) / threadsPerBlock.y);
  matmul<<<blocksPerGrid, threadsPerBlock>>>(A, B, C, M, N, K);
}
