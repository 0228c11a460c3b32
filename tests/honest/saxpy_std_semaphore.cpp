// Honest kernel: uses a std::counting_semaphore between a thread that produces products and a thread that adds them.
// SPDX-License-Identifier: Apache-2.0
#include <semaphore>
#include <thread>
#include <vector>
void saxpy(int n, float a, const float* x, float* y) {
  constexpr int kPart = 1 << 14;
  std::vector<float> products(static_cast<std::size_t>(n));
  std::counting_semaphore<> ready(0);
  std::thread producer([&] {
    for (int b = 0; b < n; b += kPart) {
      for (int i = b; i < n && i < b + kPart; ++i) products[(std::size_t)i] = a * x[i];
      ready.release();
    }
  });
  for (int b = 0; b < n; b += kPart) {
    ready.acquire();
    for (int i = b; i < n && i < b + kPart; ++i) y[i] += products[(std::size_t)i];
  }
  producer.join();
}
