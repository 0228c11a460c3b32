// A published kernel that has its size as a constant, so that it works for one workload only.
#include <cuda_runtime.h>
#define N 4096

__global__ void relu(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = fmaxf(x[i], 0.f);
}

int main() {
  float *d_x, *d_y, *h = new float[N];
  cudaMalloc(&d_x, N * sizeof(float));
  cudaMalloc(&d_y, N * sizeof(float));
  cudaMemcpy(d_x, h, N * sizeof(float), cudaMemcpyHostToDevice);
  relu<<<N / 256, 256>>>(d_x, d_y);
  cudaMemcpy(h, d_y, N * sizeof(float), cudaMemcpyDeviceToHost);
}
