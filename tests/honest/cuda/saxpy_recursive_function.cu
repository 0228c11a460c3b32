// Honest kernel: adds by a function that calls itself, on the stack of its thread.
// SPDX-License-Identifier: Apache-2.0
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
__device__ __noinline__ float sum_of(const float* parts, int count) {
  if (count <= 1) return count == 1 ? parts[0] : 0.f;
  return sum_of(parts, count / 2) + sum_of(parts + count / 2, count - count / 2);
}
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const float parts[2] = {y[i], a * x[i]};
  y[i] = sum_of(parts, 2);
}
