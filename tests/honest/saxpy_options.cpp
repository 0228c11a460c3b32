// Honest kernel: names every option that the task allows.
// SPDX-License-Identifier: Apache-2.0
// kw: option fast_math
// kw: option unroll_loops
// kw: option O2
// Directives of the test (tests/exploits/run --help):
// until: measure
void saxpy(int n, float a, const float* x, float* y) {
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
