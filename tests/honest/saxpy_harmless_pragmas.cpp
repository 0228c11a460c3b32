// Honest kernel: uses pragmas and attributes that arrange code and change no value.
// SPDX-License-Identifier: Apache-2.0
#pragma GCC optimize("O3,unroll-loops,no-tree-loop-distribution")
#pragma GCC push_options
#pragma GCC optimize("O2")
__attribute__((hot, noinline, optimize("unroll-loops"))) static float product(float a, float u) {
  return a * u;
}
#pragma GCC pop_options
void saxpy(int n, float a, const float* x, float* y) {
#pragma GCC ivdep
  for (int i = 0; i < n; ++i) y[i] += product(a, x[i]);
}
