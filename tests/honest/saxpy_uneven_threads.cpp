// Honest kernel: has a last thread that finishes long after the others.
// SPDX-License-Identifier: Apache-2.0
void saxpy(int n, float a, const float* x, float* y) {
  const int cut = n / 16;
#pragma omp parallel sections
  {
#pragma omp section
    for (int i = 0; i < cut; ++i) y[i] += a * x[i];
#pragma omp section
    for (int i = cut; i < n; ++i) {
      volatile float slow = y[i];
      slow = slow + a * x[i];
      y[i] = slow;
    }
  }
}
