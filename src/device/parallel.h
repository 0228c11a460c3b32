// Parallel: a few threads that share loops over memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kw::device {

/// Runs loops on a fixed set of threads, among them the caller's. Which thread takes which piece
/// varies; the pieces do not.
class Parallel {
 public:
  explicit Parallel(int threads);
  Parallel(const Parallel&) = delete;
  Parallel& operator=(const Parallel&) = delete;
  ~Parallel();

  /// Calls `body(piece)` once for every piece in [0, pieces), in any order, and returns when all
  /// are done. Not reentrant; one loop at a time.
  void for_each(std::int64_t pieces, const std::function<void(std::int64_t)>& body);

  int threads() const { return static_cast<int>(helpers_.size()) + 1; }

 private:
  void help();
  void take_pieces(const std::function<void(std::int64_t)>& body, std::int64_t pieces);

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable finished_;
  const std::function<void(std::int64_t)>* body_ = nullptr;
  std::atomic<std::int64_t> next_ = 0;
  std::int64_t pieces_ = 0;
  std::int64_t running_ = 0;  ///< Number of helpers inside the loop.
  bool is_ending_ = false;
  std::vector<std::thread> helpers_;
};

}  // namespace kw::device
