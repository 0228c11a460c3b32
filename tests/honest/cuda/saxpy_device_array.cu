// Honest kernel: works in an array of the module, which every call writes before it reads it.
// SPDX-License-Identifier: Apache-2.0
// kw: launch saxpy grid(8) block(256) args(n, a, x, y)
__device__ float room[8 * 256];
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int me = blockIdx.x * 256 + threadIdx.x;
  for (long long i = me; i < n; i += 8 * 256) {
    room[me] = a * x[i];
    y[i] += room[me];
  }
}
