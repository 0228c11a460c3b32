// Honest kernel: passes products through a workspace with undefined initial content.
// SPDX-License-Identifier: Apache-2.0
// kw: workspace product f32 [n]
// kw: launch multiply grid(ceil_div(n, 256)) block(256) args(n, a, x, product)
// kw: launch add grid(ceil_div(n, 256)) block(256) args(n, product, y)
extern "C" __global__ void multiply(int n, float a, const float* x, float* product) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) product[i] = a * x[i];
}
extern "C" __global__ void add(int n, const float* product, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] += product[i];
}
