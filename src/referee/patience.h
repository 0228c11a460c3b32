// Tells the user what the program is waiting for, once the wait is long.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace kw::referee {

/// Whom to tell about a long wait, and after how long.
struct Patience {
  /// Called from another thread with a text like "the reference of task 'x' on workload 'y'".
  std::function<void(const std::string& what)> tell = {};
  /// Longest wait that is not reported: nobody takes it for a hang yet.
  std::int64_t after_ns = 5'000'000'000;
};

/// Reports the wait once if this object lives longer than Patience::after_ns. Costs a thread (some
/// 20 µs) if `tell` is set, otherwise nothing.
class Vigil {
 public:
  Vigil(const Patience& patience, std::string what);
  ~Vigil();
  Vigil(const Vigil&) = delete;
  Vigil& operator=(const Vigil&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_;
};

}  // namespace kw::referee
