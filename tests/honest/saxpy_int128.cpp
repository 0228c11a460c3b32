// Honest kernel: uses 128-bit sums and their division.
// SPDX-License-Identifier: Apache-2.0
void saxpy(int n, float a, const float* x, float* y) {
  __int128 steps = (__int128)n * 3;
  const int m = (int)(steps / 3);
  for (int i = 0; i < m; ++i) y[i] += a * x[i];
}
