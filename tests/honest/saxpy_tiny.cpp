// Honest kernel: is the shortest source that solves the task.
// SPDX-License-Identifier: Apache-2.0
void saxpy(int n, float a, const float* x, float* y) {
  for (; n--; ++x, ++y) *y += a * *x;
}
