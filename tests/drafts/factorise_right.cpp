// Right: column by column, each taken off the rest at once.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
extern "C" void factorise(int n, double* a) {
  for (int j = 0; j < n; ++j) {
    a[j * n + j] = std::sqrt(a[j * n + j]);
    for (int i = j + 1; i < n; ++i) a[i * n + j] /= a[j * n + j];
    for (int i = j + 1; i < n; ++i)
      for (int k = j + 1; k <= i; ++k) a[i * n + k] -= a[i * n + j] * a[k * n + j];
  }
}
