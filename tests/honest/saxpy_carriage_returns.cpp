// Honest kernel: has lines that end in CR LF, as on Windows, and a macro that is continued on the next line.
// SPDX-License-Identifier: Apache-2.0
#define AXPY(u, v) \
  ((v) + a * (u))
void saxpy(int n, float a, const float* x, float* y) {
  for (int i = 0; i < n; ++i) y[i] = AXPY(x[i], y[i]);
}
