// False: reads the first row of the matrix alone.
// SPDX-License-Identifier: Apache-2.0
extern "C" void sparse(int rows, int, int, const int* start, const int* col, const double* a,
                       const double* x, double* y) {
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int k = start[0]; k < start[1]; ++k) sum += a[k] * x[col[k]];
    y[i] = sum;
  }
}
