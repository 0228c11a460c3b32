// Honest kernel: uses an object of a class with a virtual function, created in the kernel.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
struct Update {
  __device__ virtual float of(float u) const = 0;
};
struct Axpy : Update {
  float a;
  __device__ explicit Axpy(float f) : a(f) {}
  __device__ float of(float u) const override { return a * u; }
};
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const Axpy axpy(a);
  const Update* update = &axpy;
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] += update->of(x[i]);
}
