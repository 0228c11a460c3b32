// Squares of the lengths of rows, with 1 for those that are nearly 0.
// SPDX-License-Identifier: Apache-2.0
void lengths(int n, int m, const double *x, double *s) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < m; j++) sum += x[i * m + j] * x[i * m + j];
    s[i] = sum <= 0.1 ? 1.0 : sum;
  }
}
