// Honest kernel: tests its scalar and values first, for an exact short cut.
// SPDX-License-Identifier: Apache-2.0
void saxpy(int n, float a, const float* x, float* y) {
  if (a == 0) return;
  if (a == 1) {
    for (int i = 0; i < n; ++i) y[i] += x[i];
    return;
  }
  for (int i = 0; i < n; ++i)
    if (x[i] != 0) y[i] += a * x[i];
}
