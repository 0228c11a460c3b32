// The larger of each unsigned number and the first.
// SPDX-License-Identifier: Apache-2.0
void largest(const unsigned int *x, unsigned int *y, int n) {
  for (int i = 0; i < n; i++) y[i] = x[i] > x[0] ? x[i] : x[0];
}
