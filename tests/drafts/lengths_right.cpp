// Right: two sums in turn.
// SPDX-License-Identifier: Apache-2.0
extern "C" void lengths(int n, int m, const double* x, double* s) {
  for (int i = 0; i < n; ++i) {
    double sum[2] = {};
    for (int j = 0; j < m; ++j) sum[j % 2] += x[(long)i * m + j] * x[(long)i * m + j];
    const double both = sum[0] + sum[1];
    s[i] = both > 0.1 ? both : 1.0;
  }
}
