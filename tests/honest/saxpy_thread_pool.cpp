// Honest kernel: uses a pool of std::thread that waits on a condition variable between calls.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// until: measure
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
class Pool {
 public:
  Pool() : thread_([this] { serve(); }) {}
  ~Pool() {
    submit(nullptr);
    thread_.join();
  }
  void submit(std::function<void()> job) {
    {
      std::lock_guard lock(mutex_);
      job_ = std::move(job);
      is_full_ = true;
    }
    full_.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    empty_.wait(lock, [this] { return !is_full_; });
  }

 private:
  void serve() {
    for (;;) {
      std::unique_lock lock(mutex_);
      full_.wait(lock, [this] { return is_full_; });
      if (!job_) return;
      job_();
      is_full_ = false;
      empty_.notify_one();
    }
  }
  std::mutex mutex_;
  std::condition_variable full_, empty_;
  std::function<void()> job_;
  bool is_full_ = false;
  std::thread thread_;
};
void saxpy(int n, float a, const float* x, float* y) {
  static Pool pool;
  const int half = n / 2;
  pool.submit([=] {
    for (int i = half; i < n; ++i) y[i] += a * x[i];
  });
  for (int i = 0; i < half; ++i) y[i] += a * x[i];
  pool.wait();
}
