// Says what is waited for, once somebody may wonder.
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

/// Whom to tell what, and after how long.
struct Patience {
  /// Gets words like "the reference of task 'x' on workload 'y'"; called from another thread.
  std::function<void(const std::string& what)> tell = {};
  std::int64_t after_ns = 5'000'000'000;  ///< A pause that nobody takes for a hang yet.
};

/// Tells, once, if it lives longer than the patience lasts. Costs a thread (some 20 µs) where
/// somebody is to be told, else nothing.
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
