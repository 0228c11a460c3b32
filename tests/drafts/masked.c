// Sums of the elements that a mask lets through, row by row.
// SPDX-License-Identifier: Apache-2.0
void masked(int n, int m, const unsigned char *mask, const float *x, float *y) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int j = 0; j < m; j++)
      if (mask[i * m + j]) sum += x[i * m + j];
    y[i] = sum;
  }
}
