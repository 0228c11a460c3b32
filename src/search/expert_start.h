// Start of a strategy that asks for sources: tries expert kernels, and tunes the knobs of the
// fastest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "search/strategy.h"
#include "search/written.h"

namespace kw::search {

/// Asks for expert kernels and for points of the fastest one; `options.start_asks` limits all asks
/// together.
class ExpertStart {
 public:
  ExpertStart(std::vector<Idea> ideas, const StrategyOptions& options);

  /// Whether an expert kernel is left to try; skips those that a person has closed.
  bool has_next(const std::set<int>& closed);
  /// The ask for the next expert kernel. Precondition: has_next().
  Ask next();
  std::string describe() const;
  /// Takes the outcome of an ask that next() made.
  void observe(const Ask& ask, const Tell& tell);
  void give_up() { next_ = starts_.size(); }

  /// The outcome of the fastest kernel; its ask is 0 while none was correct.
  const Tell& fastest() const { return fastest_; }
  /// Begins to tune the fastest kernel, if it has knobs and asks for tuning are left.
  bool tune_fastest(WrittenTuning& tuning, double best) const;

 private:
  std::vector<Idea> ideas_;
  std::size_t asks_;
  std::size_t tuning_asks_;  // how many of asks_ are for tuning the fastest kernel
  std::vector<int> starts_;
  std::size_t next_ = 0;
  Tell fastest_;
};

}  // namespace kw::search
