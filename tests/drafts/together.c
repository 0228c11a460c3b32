// The covariance of the columns of a table, of which one triangle is computed and copied.
// SPDX-License-Identifier: Apache-2.0
void together(int n, int m, double count, double x[n][m], double c[m][m], double mean[m]) {
  for (int j = 0; j < m; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < n; i++) mean[j] += x[i][j];
    mean[j] /= count;
  }
  for (int i = 0; i < m; i++)
    for (int j = i; j < m; j++) {
      c[i][j] = 0.0;
      for (int k = 0; k < n; k++) c[i][j] += (x[k][i] - mean[i]) * (x[k][j] - mean[j]);
      c[i][j] /= count - 1.0;
      c[j][i] = c[i][j];
    }
}
