// Running sums of each row.
// SPDX-License-Identifier: Apache-2.0
void running(int n, int m, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < m; j++) {
      sum += x[i * m + j];
      y[i * m + j] = sum;
    }
  }
}
