// Shares of the exponentials of each row, whose largest number is subtracted before.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
void soften(int n, int m, const float *x, float *y) {
  for (int i = 0; i < n; i++) {
    float most = x[i * m], sum = 0;
    for (int j = 1; j < m; j++)
      if (x[i * m + j] > most) most = x[i * m + j];
    for (int j = 0; j < m; j++) sum += expf(x[i * m + j] - most);
    for (int j = 0; j < m; j++) y[i * m + j] = expf(x[i * m + j] - most) / sum;
  }
}
