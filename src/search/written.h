// What strategies share that have sources written: what derives from what, the best, and tuning.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "search/strategy.h"

namespace kw::search {

/// Tunes sources that were written during a run, each at most once, one after the other.
class WrittenTuning {
 public:
  explicit WrittenTuning(const StrategyOptions& options)
      : options_(options), gain_(options.promising_gain) {}

  /// Begins with the source that `tell` showed correct at the ask `ask`. False: it has no knobs,
  /// was tuned before, or what tuning gave others would not lift it to the merit `best`. `most`:
  /// asks at most.
  bool start(const Tell& tell, double best, std::size_t most = kAnyNumber);
  bool is_active() const { return tuner_ != nullptr; }
  /// Gives the source up; asks in flight are still told.
  void drop() { tuner_.reset(); }

  /// Precondition of these: is_active().
  std::optional<Ask> ask();
  int parent() const { return parent_; }  ///< Ask that showed the source correct.
  std::string describe() const;
  /// Of an ask of this or an earlier tuner; ends the tuning where nothing is left to ask.
  void tell(const Ask& ask, const Tell& tell);

 private:
  static constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);
  void end_when_done();

  const StrategyOptions options_;
  std::map<int, Idea> ideas_;  // tuners refer to their spaces
  std::set<int> tuned_;
  std::unique_ptr<Strategy> tuner_;
  int tuning_ = kUnwritten;
  int parent_ = 0;
  std::size_t most_ = kAnyNumber;
  std::size_t asked_ = 0;
  std::size_t told_ = 0;
  double start_merit_ = 0;
  double gain_;  // largest gain seen from tuning, over a source's first point
};

/// Which ask derives from which.
class Lineage {
 public:
  void add(int ask, int parent);
  /// True for `root` itself too.
  bool is_below(int ask, int root) const;

 private:
  std::vector<int> parents_;  // of ask i + 1
};

/// The ask that the run holds for its best: the last new best, and before there is one the fastest
/// correct. Where some are left out, the fastest of the others: new bests were better than those.
class BestAsk {
 public:
  void observe(const Tell& tell);
  /// Looks at all asks again without those for which `is_out` holds, also at later ones.
  void leave_out(std::function<bool(int)> is_out);
  int ask() const { return best_.ask; }  ///< 0: nothing was correct.
  double merit() const { return best_.merit; }

 private:
  struct Correct {
    int ask = 0;
    double speedup = 0;
    double merit = 0;
    bool is_new_best = false;
  };
  void consider(const Correct& correct);

  std::vector<Correct> all_;
  Correct best_;
  std::function<bool(int)> is_out_;
  bool leaves_out_ = false;  // some correct one
};

}  // namespace kw::search
