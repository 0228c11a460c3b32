// A baseline that passes each element through memory three times more, so slow that a few timed
// pairs show any gain.
// SPDX-License-Identifier: Apache-2.0
void saxpy(int n, float a, const float* x, float* y) {
  for (int i = 0; i < n; ++i) {
    volatile float product = a * x[i];
    product = product;
    product = product;
    y[i] += product;
  }
}
