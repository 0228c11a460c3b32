// A saxpy program: vectors on the host, memory on the device, one launch.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void saxpy(int n, float a, float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  int N = 1 << 20;
  float alpha = 1.25f;
  std::vector<float> x(N, 1.0f), y(N, 2.0f);
  float *d_x, *d_y;
  cudaMalloc(&d_x, N * sizeof(float));
  cudaMalloc(&d_y, N * sizeof(float));
  cudaMemcpy(d_x, x.data(), N * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_y, y.data(), N * sizeof(float), cudaMemcpyHostToDevice);
  saxpy<<<(N + 255) / 256, 256>>>(N, alpha, d_x, d_y);
  cudaMemcpy(y.data(), d_y, N * sizeof(float), cudaMemcpyDeviceToHost);
  float error = 0.0f;
  for (int i = 0; i < N; i++) error = fmaxf(error, fabsf(y[i] - 3.25f));
  printf("largest error: %f\n", error);
}
