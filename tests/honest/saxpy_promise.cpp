// Honest kernel: uses a promise kept by one thread and awaited by another.
// SPDX-License-Identifier: Apache-2.0
#include <future>
#include <thread>
void saxpy(int n, float a, const float* x, float* y) {
  std::promise<int> middle;
  std::thread lower([&] {
    for (int i = 0; i < n / 2; ++i) y[i] += a * x[i];
    middle.set_value(n / 2);
  });
  for (int i = middle.get_future().get(); i < n; ++i) y[i] += a * x[i];
  lower.join();
}
