// Honest kernel: uses a cooperative launch with a hand-written barrier of the whole grid.
// SPDX-License-Identifier: Apache-2.0
// kw: workspace product f32 [n]
// kw: workspace arrived i32 [1] zeroed
// kw: launch saxpy grid(sms) block(256) cooperative args(n, a, x, y, product, arrived)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y, float* product, int* arrived) {
  const long long step = gridDim.x * 256ll, first = blockIdx.x * 256ll + threadIdx.x;
  for (long long i = first; i < n; i += step) product[n - 1 - i] = a * x[n - 1 - i];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < (int)gridDim.x) __nanosleep(50);
  }
  __syncthreads();
  for (long long i = first; i < n; i += step) y[i] += ((volatile float*)product)[i];
}
