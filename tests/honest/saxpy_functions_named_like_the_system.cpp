// Honest kernel: has functions of its own in a namespace that are called open, socket, time and signal.
// SPDX-License-Identifier: Apache-2.0
namespace own {
static int open(int i) { return i; }
static float socket(float a, float u) { return a * u; }
static int time = 0;
static int signal(int i) { return i + time; }
}  // namespace own
void saxpy(int n, float a, const float* x, float* y) {
  for (int i = 0; i < n; ++i) y[own::open(i)] += own::socket(a, x[own::signal(i)]);
}
