// Honest kernel: has macros that paste its own names from tokens, and that make strings.
// SPDX-License-Identifier: Apache-2.0
#define JOIN(p, q) p##q
#define TEXT(p) #p
#define STEP(k) \
  static void JOIN(step_, k)(int i, float a, const float* x, float* y) { y[i + k] += a * x[i + k]; }
STEP(0)
STEP(1)
void saxpy(int n, float a, const float* x, float* y) {
  static_assert(sizeof TEXT(step) == 5);
  int i = 0;
  for (; i + 2 <= n; i += 2) {
    JOIN(step_, 0)(i, a, x, y);
    JOIN(step_, 1)(i, a, x, y);
  }
  for (; i < n; ++i) step_0(i, a, x, y);
}
