// Honest kernel: uses OpenMP tasks that one thread creates and all threads execute.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// until: measure
void saxpy(int n, float a, const float* x, float* y) {
  const int piece = 1 << 16;
#pragma omp parallel
#pragma omp single
  for (int first = 0; first < n; first += piece) {
#pragma omp task firstprivate(first)
    for (int i = first; i < n && i < first + piece; ++i) y[i] += a * x[i];
  }
}
