// Honest kernel: uses groups of <cooperative_groups.h>.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// arch: sm_70
#include <cooperative_groups.h>
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  namespace cg = cooperative_groups;
  const auto block = cg::this_thread_block();
  block.sync();
  const int i = static_cast<int>(block.group_index().x * block.size() + block.thread_rank());
  if (i < n) y[i] += a * x[i];
}
