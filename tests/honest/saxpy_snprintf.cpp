// Honest kernel: writes numbers to a string and reads them back.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void saxpy(int n, float a, const float* x, float* y) {
  char text[64];
  snprintf(text, sizeof text, "%.9g", a);
  const float factor = strlen(text) > 0 ? strtof(text, nullptr) : 0;
  for (int i = 0; i < n; ++i) y[i] += factor * x[i];
}
