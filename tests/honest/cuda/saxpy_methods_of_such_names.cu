// Honest kernel: has methods called clock, malloc, free, printf and time, which are no functions of the C library.
// SPDX-License-Identifier: Apache-2.0
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
struct Pool {
  float slots[4];
  int next;
  __device__ float* malloc() { return &slots[next++ & 3]; }
  __device__ void free(float* slot) { *slot = 0; }
  __device__ int clock() const { return next; }
  __device__ float printf(float v) const { return v; }
  __device__ float time(float a, float x) const { return a * x; }
};
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  Pool pool{{0, 0, 0, 0}, 0};
  float* slot = pool.malloc();
  *slot = pool.time(a, x[i]);
  y[i] += pool.printf(*slot) * (float)pool.clock();
  pool.free(slot);
}
