// False: divides by the count instead of one less.
// SPDX-License-Identifier: Apache-2.0
extern "C" void together(int n, int m, double count, const double* x, double* c, double* mean) {
  for (int j = 0; j < m; ++j) {
    mean[j] = 0;
    for (int i = 0; i < n; ++i) mean[j] += x[i * m + j] / count;
  }
  for (int i = 0; i < m; ++i)
    for (int j = i; j < m; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += (x[k * m + i] - mean[i]) * (x[k * m + j] - mean[j]);
      c[i * m + j] = c[j * m + i] = sum / count;
    }
}
