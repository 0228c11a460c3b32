// Honest kernel: uses a table that a constructor of a namespace-scope object fills when the object is loaded.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
struct Table {
  float half[2];
  Table() : half{0.5f, (float)(1 / sqrt(2.0))} {}
};
static const Table table;
void gelu(int n, const float* x, float* y) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) y[i] = table.half[0] * x[i] * (1 + erff(x[i] * table.half[1]));
}
