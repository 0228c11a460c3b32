// Honest kernel: runs two halves by std::async.
// SPDX-License-Identifier: Apache-2.0
#include <future>
void relu(int n, const float* x, float* y) {
  const auto half = [=](int b, int e) {
    for (int i = b; i < e; ++i) y[i] = x[i] > 0 ? x[i] : 0;
  };
  auto upper = std::async(std::launch::async, half, n / 2, n);
  half(0, n / 2);
  upper.wait();
}
