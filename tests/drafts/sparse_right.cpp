// Right: two sums in turn.
// SPDX-License-Identifier: Apache-2.0
extern "C" void sparse(int rows, int, int, const int* start, const int* col, const double* a,
                       const double* x, double* y) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    double even = 0, odd = 0;
    int k = start[i];
    for (; k + 1 < start[i + 1]; k += 2) even += a[k] * x[col[k]], odd += a[k + 1] * x[col[k + 1]];
    if (k < start[i + 1]) even += a[k] * x[col[k]];
    y[i] = even + odd;
  }
}
