// Whether a program works outside of its calls. Candidate and opponent are both counted, so that a
// busy host does not make the candidate look guilty.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "record/verdict.h"

namespace kw::referee {

/// Counts how many samples of one program were *late*, which voids them. A sample is late where the
/// program's threads used more processor time outside of its calls (device::CallResult::outside_ns)
/// than a hundredth of the calls' time, or 10 µs a call if that is more.
class Lateness {
 public:
  /// Takes a sample of `calls` calls with the sums of their times; returns whether the sample was
  /// late.
  bool tell(double outside_ns, double elapsed_ns, int calls);

  int samples() const { return samples_; }
  int late() const { return late_; }
  double share() const { return samples_ == 0 ? 0 : static_cast<double>(late_) / samples_; }
  bool is_often() const;  ///< At least eight samples, and more than a third of all, were late.
  double most_ns() const { return most_ns_; }  ///< Largest outside time of a late sample.

 private:
  int samples_ = 0;
  int late_ = 0;
  double most_ns_ = 0;
};

/// Judges candidate and opponent together. Nothing while the opponent has fewer than eight samples,
/// or while neither is late often. Otherwise Cheated if the candidate is late often and the
/// opponent, in the same pairs, was late in less than a quarter of that share; else Unmeasurable,
/// as also without an opponent.
std::optional<Verdict> judge_lateness(const Lateness& candidate, const Lateness* opponent,
                                      const std::string& workload);

}  // namespace kw::referee
