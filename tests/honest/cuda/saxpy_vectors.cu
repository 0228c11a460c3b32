// Honest kernel: loads four elements at a time where the size allows it, single elements elsewhere.
// SPDX-License-Identifier: Apache-2.0
// kw: when n % 4 == 0
// kw:   launch by_four grid(ceil_div(n / 4, 256)) block(256) args(n, a, x, y)
// kw: else
// kw:   launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
// kw: end
extern "C" __global__ void by_four(int n, float a, const float4* x, float4* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n / 4) return;
  float4 v = y[i];
  const float4 w = x[i];
  v.x += a * w.x, v.y += a * w.y, v.z += a * w.z, v.w += a * w.w;
  y[i] = v;
}
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
