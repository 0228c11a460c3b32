// Honest kernel: halves the vector by recursion.
// SPDX-License-Identifier: Apache-2.0
void saxpy(int n, float a, const float* x, float* y) {
  if (n <= 32) {
    for (int i = 0; i < n; ++i) y[i] += a * x[i];
    return;
  }
  saxpy(n / 2, a, x, y);
  saxpy(n - n / 2, a, x + n / 2, y + n / 2);
}
