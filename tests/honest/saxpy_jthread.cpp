// Honest kernel: uses a std::jthread, which joins itself at the end of the block.
// SPDX-License-Identifier: Apache-2.0
#include <thread>
void saxpy(int n, float a, const float* x, float* y) {
  std::jthread upper([=] {
    for (int i = n / 2; i < n; ++i) y[i] += a * x[i];
  });
  for (int i = 0; i < n / 2; ++i) y[i] += a * x[i];
}
