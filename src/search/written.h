// What strategies that ask for sources share: what derives from what, the best ask, and tuning.
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

  /// Begins to tune the source that `tell` showed to be correct. False: the source has no knobs,
  /// was tuned before, or would not reach the merit `best` even with the largest gain that tuning
  /// has given so far. `most`: limit of asks.
  bool start(const Tell& tell, double best, std::size_t most = kAnyNumber);
  bool is_active() const { return tuner_ != nullptr; }
  /// Ends the tuning of the source; asks in flight are still told.
  void drop() { tuner_.reset(); }

  /// Precondition of ask(), parent() and describe(): is_active().
  std::optional<Ask> ask();
  int parent() const { return parent_; }  ///< The ask that showed the source correct.
  std::string describe() const;
  /// Takes the outcome of an ask of this or an earlier tuner; ends the tuning when there is nothing
  /// left to ask.
  void tell(const Ask& ask, const Tell& tell);

 private:
  static constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);
  void end_when_done();

  const StrategyOptions options_;
  std::map<int, Idea> ideas_;  // kept, because tuners refer to the spaces
  std::set<int> tuned_;
  std::unique_ptr<Strategy> tuner_;
  int tuning_ = kUnwritten;
  int parent_ = 0;
  std::size_t most_ = kAnyNumber;
  std::size_t asked_ = 0;
  std::size_t told_ = 0;
  double start_merit_ = 0;
  double gain_;  // largest gain that tuning has given over a source's first point
};

/// Records which ask derives from which.
class Lineage {
 public:
  void add(int ask, int parent);
  /// Whether `ask` derives from `root`; true for `root` itself too.
  bool is_below(int ask, int root) const;

 private:
  std::vector<int> parents_;  // at index i: the parent of ask i + 1
};

/// The ask that counts as the run's best: the latest new best or, before there is one, the fastest
/// correct ask. If some asks are left out, it is the fastest of the others, since each new best was
/// faster than the one before.
class BestAsk {
 public:
  void observe(const Tell& tell);
  /// From now on leaves out asks for which `is_out` holds, and determines the best ask again.
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
  bool leaves_out_ = false;  // true if some correct ask is left out
};

}  // namespace kw::search
