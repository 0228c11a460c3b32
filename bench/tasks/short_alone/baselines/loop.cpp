// The reference loop of saxpy on one thread, which wakes no other thread.
// SPDX-License-Identifier: Apache-2.0
void saxpy(int n, float a, const float* x, float* y) {
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}
