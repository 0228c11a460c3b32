// Rows of a table, picked by number.
// SPDX-License-Identifier: Apache-2.0
void lookup(const float *table, const int *ids, float *out, int rows, int n, int d) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < d; j++) out[i * d + j] = table[ids[i] * d + j];
}
