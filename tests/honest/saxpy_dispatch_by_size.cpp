// Honest kernel: has one path for short vectors and one for long ones, through a table of functions.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// until: measure
static void quick(int n, float a, const float* x, float* y) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
static void threaded(int n, float a, const float* x, float* y) {
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
void saxpy(int n, float a, const float* x, float* y) {
  static void (*const paths[])(int, float, const float*, float*) = {quick, threaded};
  paths[n > 1000000](n, a, x, y);
}
