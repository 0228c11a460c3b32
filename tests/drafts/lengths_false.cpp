// False: leaves the branch for short rows out.
// SPDX-License-Identifier: Apache-2.0
extern "C" void lengths(int n, int m, const double* x, double* s) {
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < m; ++j) sum += x[(long)i * m + j] * x[(long)i * m + j];
    s[i] = sum;
  }
}
