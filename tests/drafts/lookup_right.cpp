// Right: copies whole rows.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>
extern "C" void lookup(const float* table, const int* ids, float* out, int, int n, int d) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    memcpy(out + (long)i * d, table + (long)ids[i] * d, sizeof(float) * d);
}
