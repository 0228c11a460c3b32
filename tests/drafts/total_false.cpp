// False: threads that overwrite each other's sums would leave out elements; here every other one.
// SPDX-License-Identifier: Apache-2.0
extern "C" void total(int n, const float* x, float* y) {
  float s = 0;
  for (int i = 0; i < n; i += 2) s += x[i];
  *y = s;
}
