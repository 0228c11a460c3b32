// A sparse matrix in rows of different lengths, times a vector.
// SPDX-License-Identifier: Apache-2.0
void sparse(int rows, int cols, int entries, const int *start, const int *col, const double *a,
            const double *x, double *y) {
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++) sum += a[k] * x[col[k]];
    y[i] = sum;
  }
}
