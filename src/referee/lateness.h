// Whether a program works outside of its calls: counted for both legs, so that a busy host accuses
// nobody.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "record/verdict.h"

namespace kw::referee {

/// Of one leg: how many of its samples were *late*, which voids them. A sample is late where its
/// threads used more processor time outside of its calls (device::CallResult::outside_ns) than a
/// hundredth of their time, or 10 µs a call if that is more.
class Lateness {
 public:
  /// Takes a sample of so many calls, with the sums of their times; true: it was late.
  bool tell(double outside_ns, double elapsed_ns, int calls);

  int samples() const { return samples_; }
  int late() const { return late_; }
  double share() const { return samples_ == 0 ? 0 : static_cast<double>(late_) / samples_; }
  bool is_often() const;  ///< At least eight samples, and more than a third of them, were late.
  double most_ns() const { return most_ns_; }  ///< Largest outside time of a late sample.

 private:
  int samples_ = 0;
  int late_ = 0;
  double most_ns_ = 0;
};

/// Nothing while the opponent has fewer than eight samples, and while neither leg is late often.
/// Then Cheated where the candidate is, and the opponent, in the same pairs, was late in less than
/// a quarter of that share; else Unmeasurable, without an opponent too. `what` names the workload.
std::optional<Verdict> judge_lateness(const Lateness& candidate, const Lateness* opponent,
                                      const std::string& what);

}  // namespace kw::referee
