// Honest kernel: keeps statistics of its calls in statics and resets them; no answer depends on them.
// SPDX-License-Identifier: Apache-2.0
static int calls = 0;
static long elements[4] = {};
void saxpy(int n, float a, const float* x, float* y) {
  if (++calls == 4) calls = 0;
  elements[calls] += n;
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
  if (elements[calls] > 1'000'000'000) elements[calls] = 0;
}
