// What strategies share that have sources written: which of them are correct, and their tuning.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "search/strategy.h"

namespace kw::search {

/// Tunes sources that were written during a run, each at most once, one after the other.
class WrittenTuning {
 public:
  explicit WrittenTuning(const StrategyOptions& options)
      : options_(options), gain_(options.promising_gain) {}

  /// Begins with the source that `tell` showed correct at the ask `ask`. False: it has no knobs,
  /// was tuned before, or what tuning gave others would not lift it to `best`.
  bool start(const Tell& tell, double best);
  bool is_active() const { return tuner_ != nullptr; }

  /// Precondition of these: is_active().
  std::optional<Ask> ask() { return tuner_->ask(); }
  /// Of an ask of the tuner; ends the tuning where nothing is left to ask.
  void tell(const Ask& ask, const Tell& tell);
  std::string describe() const;

 private:
  void end_when_done();

  const StrategyOptions options_;
  std::map<int, Idea> ideas_;  // tuners refer to their spaces
  std::set<int> tuned_;
  std::unique_ptr<Strategy> tuner_;
  int tuning_ = kUnwritten;
  double start_speedup_ = 0;
  double gain_;  // largest gain seen from tuning, over a source's first point
};

/// The ask that the run holds for its best: the last new best, and before there is one the fastest
/// correct.
class BestAsk {
 public:
  void observe(const Tell& tell);
  int ask() const { return ask_; }  ///< 0: nothing was correct.
  double speedup() const { return speedup_; }

 private:
  int ask_ = 0;
  double speedup_ = 0;
  bool is_new_best_ = false;
};

}  // namespace kw::search
