// Where the host's time goes while a candidate is measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include "platform/clock.h"

namespace kw::referee {

/// Sums the host's time by step, in nanoseconds. The time of a step inside another step counts for
/// the outer one only, so that no time is counted twice.
class Account {
 public:
  explicit Account(const platform::Clock& clock) : clock_(clock) {}

  /// Adds the time from its construction to its destruction to a step, unless an outer lap is under
  /// way.
  class [[nodiscard]] Lap {
   public:
    Lap(Account& account, const char* step)
        : account_(account), step_(step), is_outer_(account.depth_++ == 0) {
      began_ns_ = account_.clock_.now_ns();
    }
    ~Lap() {
      --account_.depth_;
      if (is_outer_)
        account_.spent_[step_] += static_cast<double>(account_.clock_.now_ns() - began_ns_);
    }
    /// Moves `ns` of this lap's time to the step `step`.
    void part(const char* step, double ns) {
      if (!is_outer_) return;
      account_.spent_[step] += ns;
      account_.spent_[step_] -= ns;
    }
    double so_far_ns() const { return static_cast<double>(account_.clock_.now_ns() - began_ns_); }
    Lap(const Lap&) = delete;
    Lap& operator=(const Lap&) = delete;

   private:
    Account& account_;
    const char* step_;
    bool is_outer_;
    std::int64_t began_ns_ = 0;
  };

  Lap lap(const char* step) { return {*this, step}; }
  const std::map<std::string, double>& spent() const { return spent_; }

 private:
  const platform::Clock& clock_;
  std::map<std::string, double> spent_;
  int depth_ = 0;
};

}  // namespace kw::referee
