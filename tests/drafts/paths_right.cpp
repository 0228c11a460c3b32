// Right: the rows of one relaxation at once, by a conditional move.
// SPDX-License-Identifier: Apache-2.0
extern "C" void paths(int n, int* d) {
  for (int k = 0; k < n; ++k)
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      const int first = d[i * n + k];
      for (int j = 0; j < n; ++j) {
        const int by = first + d[k * n + j];
        d[i * n + j] = by < d[i * n + j] ? by : d[i * n + j];
      }
    }
}
