// Where the host's time goes while a candidate is measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include "platform/clock.h"

namespace kw::referee {

/// Nanoseconds by step. Steps within a step are the outer one's: no two overlap.
class Account {
 public:
  explicit Account(const platform::Clock& clock) : clock_(clock) {}

  /// Adds the time until it goes to a step, unless another lap is under way.
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
    /// Gives `ns` of the time so far to a step of its own.
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
