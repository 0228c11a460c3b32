// Right: adds zeros instead of branching.
// SPDX-License-Identifier: Apache-2.0
extern "C" void masked(int n, int m, const unsigned char* mask, const float* x, float* y) {
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < m; ++j) sum += mask[(long)i * m + j] != 0 ? x[(long)i * m + j] : 0.0f;
    y[i] = sum;
  }
}
