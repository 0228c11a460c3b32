// Honest kernel: has a second kernel that begins early and waits for the first where it must.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: sm_90
// kw: workspace product f32 [n]
// kw: launch multiply grid(ceil_div(n, 256)) block(256) args(n, a, x, product)
// kw: launch add grid(ceil_div(n, 256)) block(256) pdl args(n, product, y)
extern "C" __global__ void multiply(int n, float a, const float* x, float* product) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) product[i] = a * x[i];
  asm volatile("griddepcontrol.launch_dependents;");
}
extern "C" __global__ void add(int n, const float* product, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (i < n) y[i] += product[i];
}
