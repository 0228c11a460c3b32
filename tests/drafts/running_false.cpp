// False: the sum before each element in place of the one with it.
// SPDX-License-Identifier: Apache-2.0
extern "C" void running(int n, int m, const double* x, double* y) {
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < m; ++j) {
      y[i * m + j] = sum;
      sum += x[i * m + j];
    }
  }
}
