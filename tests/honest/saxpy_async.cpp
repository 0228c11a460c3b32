// Honest kernel: uses tasks of std::async, whose futures are awaited.
// SPDX-License-Identifier: Apache-2.0
#include <future>
void saxpy(int n, float a, const float* x, float* y) {
  auto upper = std::async(std::launch::async, [=] {
    for (int i = n / 2; i < n; ++i) y[i] += a * x[i];
    return n;
  });
  for (int i = 0; i < n / 2; ++i) y[i] += a * x[i];
  if (upper.get() != n) y[0] = 0;
}
