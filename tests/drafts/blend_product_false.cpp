// False: the factors are exchanged.
// SPDX-License-Identifier: Apache-2.0
extern "C" void blend_product(int n, int m, double a, double b, double* C, const double* A,
                              const double* B) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) C[i * n + j] *= a;
    for (int k = 0; k < m; ++k)
      for (int j = 0; j < n; ++j) C[i * n + j] += b * A[i * m + k] * B[k * n + j];
  }
}
