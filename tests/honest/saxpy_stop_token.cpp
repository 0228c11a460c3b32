// Honest kernel: uses a thread that works until it is asked to stop, and is awaited.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <stop_token>
#include <thread>
void saxpy(int n, float a, const float* x, float* y) {
  std::atomic<int> next{0};
  const auto work = [&](const std::stop_token& stop) {
    for (int begin; !stop.stop_requested() && (begin = next.fetch_add(4096)) < n;)
      for (int i = begin; i < n && i < begin + 4096; ++i) y[i] += a * x[i];
  };
  std::jthread helper(work);
  work(std::stop_token());
  helper.request_stop();
  helper.join();
}
