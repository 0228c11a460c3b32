// A plain kernel, for measuring how long it takes to compile.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
