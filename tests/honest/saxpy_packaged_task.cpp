// Honest kernel: uses a packaged task handed to a thread, and its future.
// SPDX-License-Identifier: Apache-2.0
#include <future>
#include <thread>
void saxpy(int n, float a, const float* x, float* y) {
  std::packaged_task<void()> task([=] { for (int i = 0; i < n; ++i) y[i] += a * x[i]; });
  std::future<void> done = task.get_future();
  std::thread thread(std::move(task));
  done.wait();
  thread.join();
}
