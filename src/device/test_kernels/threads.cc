// An honest kernel that uses and joins every kind of thread of C++ within a call; arguments (n, x,
// y).
// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace {

/// A worker thread that is kept between calls.
class Pool {
 public:
  Pool() : thread_([this] { work(); }) { thread_.detach(); }
  void run(std::function<void()> job) {
    std::unique_lock lock(mutex_);
    job_ = std::move(job);
    changed_.notify_all();
    changed_.wait(lock, [this] { return job_ == nullptr; });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return job_ != nullptr; });
      job_();
      job_ = nullptr;
      changed_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;
  std::thread thread_;
};

float by_barrier() {
  std::barrier meet(2);
  float seen = 0;
  std::jthread other([&] {
    seen = 1;
    meet.arrive_and_wait();
  });
  meet.arrive_and_wait();
  return seen;
}

float by_atomic() {
  std::atomic<int> turn{0};
  std::jthread other([&] {
    turn.store(1);
    turn.notify_all();
  });
  turn.wait(0);
  return static_cast<float>(turn.load());
}

float by_async() {
  auto one = std::async(std::launch::async, [] { return 1.0F; });
  auto none = std::async(std::launch::async, []() -> float { throw std::runtime_error("none"); });
  try {
    return one.get() + none.get();
  } catch (const std::runtime_error&) {
    return 1;
  }
}

void* leave(void* value) { pthread_exit(value); }  // needs the unwinder

float by_pthread() {
  pthread_t thread;
  void* value = nullptr;
  if (pthread_create(&thread, nullptr, leave, &thread) != 0) return 0;
  pthread_join(thread, &value);
  return value == &thread ? 1 : 0;
}

}  // namespace

extern "C" void kw_entry(void* const* args) {
  static Pool pool;
  float* y = *static_cast<float* const*>(args[2]);
  y[0] = by_barrier();
  y[1] = by_atomic();
  y[2] = by_async();
  y[3] = by_pthread();
  pool.run([y] { y[4] = 1; });
}
