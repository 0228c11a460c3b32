// Honest kernel: has blocks in clusters of two, of which one reads the factor from the shared memory of the other.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: sm_90
// kw: launch saxpy grid(2 * ceil_div(n, 512)) block(256) cluster(2) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  __shared__ float factor;
  if (threadIdx.x == 0) factor = a;
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
  unsigned mine = (unsigned)__cvta_generic_to_shared(&factor), other, rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(mine), "r"(rank ^ 1));
  float f;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(f) : "r"(other));
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] += f * x[i];
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
}
