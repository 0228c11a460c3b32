// Honest kernel: has a function and a variable that are called optimize and constructor.
// SPDX-License-Identifier: Apache-2.0
static float optimize(const char*, float a, float u) { return a * u; }
void saxpy(int n, float a, const float* x, float* y) {
  const int constructor = 0;
  for (int i = constructor; i < n; ++i) y[i] += optimize("Ofast", a, x[i]);
}
