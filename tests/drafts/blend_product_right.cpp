// Right: the sum first, then the factors.
// SPDX-License-Identifier: Apache-2.0
extern "C" void blend_product(int n, int m, double a, double b, double* C, const double* A,
                              const double* B) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < m; ++k) sum += A[i * m + k] * B[k * n + j];
      C[i * n + j] = b * C[i * n + j] + a * sum;
    }
}
