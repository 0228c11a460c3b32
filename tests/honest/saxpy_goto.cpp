// Honest kernel: uses Duff's device and goto.
// SPDX-License-Identifier: Apache-2.0
void saxpy(int n, float a, const float* x, float* y) {
  int i = 0;
  if (n <= 0) goto done;
  switch (n % 4) {
    case 0:
    again:
      y[i] += a * x[i], ++i;
      [[fallthrough]];
    case 3:
      y[i] += a * x[i], ++i;
      [[fallthrough]];
    case 2:
      y[i] += a * x[i], ++i;
      [[fallthrough]];
    case 1:
      y[i] += a * x[i], ++i;
  }
  if (i < n) goto again;
done:
  return;
}
