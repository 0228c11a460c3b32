// Honest kernel: uses a std::latch that counts the parts that are done.
// SPDX-License-Identifier: Apache-2.0
#include <latch>
#include <thread>
void saxpy(int n, float a, const float* x, float* y) {
  std::latch done(2);
  const auto part = [&](int t, int k) {
    for (int i = (long)n * t / k; i < (long)n * (t + 1) / k; ++i) y[i] += a * x[i];
    done.count_down();
  };
  std::thread first(part, 0, 2), second(part, 1, 2);
  done.wait();
  first.join();
  second.join();
}
