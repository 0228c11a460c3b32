// Honest kernel: uses a switch that the compiler makes a jump table of.
// SPDX-License-Identifier: Apache-2.0
void saxpy(int n, float a, const float* x, float* y) {
  int i = 0;
  while (i < n) {
    switch (n - i) {
      default: y[i + 7] += a * x[i + 7]; [[fallthrough]];
      case 7: y[i + 6] += a * x[i + 6]; [[fallthrough]];
      case 6: y[i + 5] += a * x[i + 5]; [[fallthrough]];
      case 5: y[i + 4] += a * x[i + 4]; [[fallthrough]];
      case 4: y[i + 3] += a * x[i + 3]; [[fallthrough]];
      case 3: y[i + 2] += a * x[i + 2]; [[fallthrough]];
      case 2: y[i + 1] += a * x[i + 1]; [[fallthrough]];
      case 1: y[i] += a * x[i];
    }
    i += n - i < 8 ? n - i : 8;
  }
}
