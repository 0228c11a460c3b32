// Honest kernel: uses labels as values, and a computed goto.
// SPDX-License-Identifier: Apache-2.0
void saxpy(int n, float a, const float* x, float* y) {
  static void* const kNext[] = {&&stop, &&go};
  int i = 0;
  goto* kNext[i < n];
go:
  y[i] += a * x[i];
  ++i;
  goto* kNext[i < n];
stop:;
}
