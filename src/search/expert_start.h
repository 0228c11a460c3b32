// The start of a strategy that has sources written: the expert kernels that there are, and the
// knobs of the fastest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "search/strategy.h"
#include "search/written.h"

namespace kw::search {

/// At most `options.start_asks` asks in all.
class ExpertStart {
 public:
  ExpertStart(std::vector<Idea> ideas, const StrategyOptions& options);

  /// Passes over those that a person has closed.
  bool has_next(const std::set<int>& closed);
  /// Precondition: has_next().
  Ask next();
  std::string describe() const;
  /// Of an ask of next().
  void observe(const Ask& ask, const Tell& tell);
  void give_up() { next_ = starts_.size(); }

  const Tell& fastest() const { return fastest_; }  ///< Its ask is 0 where none was correct.
  /// Begins to tune the fastest, as far as the start's share allows.
  bool tune_fastest(WrittenTuning& tuning, double best) const;

 private:
  std::vector<Idea> ideas_;
  std::size_t asks_;
  std::size_t tuning_asks_;  // of them, for the knobs of the fastest
  std::vector<int> starts_;
  std::size_t next_ = 0;
  Tell fastest_;
};

}  // namespace kw::search
