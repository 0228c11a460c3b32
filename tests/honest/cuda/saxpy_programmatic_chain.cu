// Honest kernel: launches three kernels; each begins before the one before it has ended, and waits for it where it must.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: sm_90
// kw: workspace product f32 [n]
// kw: workspace sum f32 [n]
// kw: launch multiply grid(ceil_div(n, 256)) block(256) args(n, a, x, product)
// kw: launch add grid(ceil_div(n, 256)) block(256) pdl args(n, product, y, sum)
// kw: launch store grid(ceil_div(n, 256)) block(256) pdl args(n, sum, y)
extern "C" __global__ void multiply(int n, float a, const float* x, float* product) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  asm volatile("griddepcontrol.launch_dependents;");
  if (i < n) product[i] = a * x[i];
}
extern "C" __global__ void add(int n, const float* product, const float* y, float* sum) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (i < n) sum[i] = y[i] + product[i];
}
extern "C" __global__ void store(int n, const float* sum, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (i < n) y[i] = sum[i];
}
