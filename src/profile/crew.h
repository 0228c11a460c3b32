// A few pinned threads that start a job together and say how long the slowest took.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

namespace kw::profile {

/// Threads pinned one each to the processors that this process may use, in order. They spin while
/// waiting, so that a start costs no wake-up: keep a crew only as long as it is measuring.
class Crew {
 public:
  explicit Crew(int threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  int size() const;
  /// Runs job(0) to job(size - 1) at once, and returns the nanoseconds from the first start to the
  /// last end.
  double run(const std::function<void(int)>& job);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kw::profile
