// Honest kernel: uses a barrier of the whole grid by cooperative groups.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: sm_80
// kw: workspace product f32 [n]
// kw: launch saxpy grid(sms) block(256) cooperative args(n, a, x, y, product)
#include <cooperative_groups.h>
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y, float* product) {
  const auto grid = cooperative_groups::this_grid();
  for (long long i = grid.thread_rank(); i < n; i += grid.size()) product[n - 1 - i] = a * x[n - 1 - i];
  grid.sync();
  for (long long i = grid.thread_rank(); i < n; i += grid.size()) y[i] += ((volatile float*)product)[i];
}
