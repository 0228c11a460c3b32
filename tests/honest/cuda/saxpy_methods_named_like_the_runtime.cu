// Honest kernel: has methods that are called free, clock, printf and malloc, and a variable called main.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
struct Slots {
  int used = 0;
  __device__ int malloc() { return used++; }
  __device__ void free(int) { --used; }
  __device__ int clock() const { return used; }
  __device__ void printf(int) {}
};
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  Slots slots;
  const int main = slots.malloc();
  slots.free(main);
  slots.printf(main);
  const int i = blockIdx.x * 256 + threadIdx.x + slots.clock();
  if (i < n) y[i] += a * x[i];
}
