// Honest kernel: includes the header of all intrinsics, which declares clocks and counters, and uses none of them.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: x86_64
#include <x86intrin.h>
void saxpy(int n, float a, const float* x, float* y) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
  _mm_sfence();
}
