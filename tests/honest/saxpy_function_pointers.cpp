// Honest kernel: uses a table of functions, one for each remainder.
// SPDX-License-Identifier: Apache-2.0
static void four(float a, const float* x, float* y) {
  for (int i = 0; i < 4; ++i) y[i] += a * x[i];
}
static void one(float a, const float* x, float* y) { *y += a * *x; }
static void (*const kSteps[])(float, const float*, float*) = {one, four};
void saxpy(int n, float a, const float* x, float* y) {
  for (int i = 0; i < n;) {
    const bool is_long = n - i >= 4;
    kSteps[is_long](a, x + i, y + i);
    i += is_long ? 4 : 1;
  }
}
