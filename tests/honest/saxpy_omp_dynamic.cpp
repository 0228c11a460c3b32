// Honest kernel: uses dynamic scheduling: another thread does another part in each call.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// until: measure
void saxpy(int n, float a, const float* x, float* y) {
#pragma omp parallel for simd schedule(dynamic, 4096)
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
