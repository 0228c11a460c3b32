// Right: four sums in turn.
// SPDX-License-Identifier: Apache-2.0
extern "C" void total(int n, const float* x, float* y) {
  float s[4] = {};
  for (int i = 0; i < n; ++i) s[i % 4] += x[i];
  *y = s[0] + s[1] + (s[2] + s[3]);
}
