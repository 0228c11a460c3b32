// False: reads the first two rows of the table alone.
// SPDX-License-Identifier: Apache-2.0
extern "C" void lookup(const float* table, const int* ids, float* out, int, int n, int d) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < d; ++j) out[i * d + j] = ids[i] ? table[d + j] : table[j];
}
