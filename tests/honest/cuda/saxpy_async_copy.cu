// Honest kernel: stages its inputs by asynchronous copies.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: sm_80
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  __shared__ float room[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(room + threadIdx.x)),
                 "l"(x + i));
  asm volatile("cp.async.wait_all;" ::: "memory");
  if (i < n) y[i] += a * room[threadIdx.x];
}
