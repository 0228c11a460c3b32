// A product added to what is there, each with a factor of its own; counters on top.
// SPDX-License-Identifier: Apache-2.0
void blend_product(int n, int m, double a, double b, double *C, const double *A, const double *B) {
  int i, j, k;
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) C[i * n + j] *= b;
    for (k = 0; k < m; k++)
      for (j = 0; j < n; j++) C[i * n + j] += a * A[i * m + k] * B[k * n + j];
  }
}
