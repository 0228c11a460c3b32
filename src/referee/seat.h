// A candidate or an opponent at one timed workload: cold calls on sets that its process has not
// seen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "referee/account.h"
#include "referee/bench.h"
#include "referee/lateness.h"
#include "referee/stamps.h"

namespace kw::referee {

/// One timed call, or several short ones that make up a sample.
struct TimedCall {
  std::optional<Verdict> verdict;  ///< Of a call itself; nothing: it returned.
  /// Of a look at what a call left; ends the sample.
  std::optional<Verdict> afterwards = std::nullopt;
  /// Per call. cpu: net of the empty call; may be <= 0 for trifles. cuda: between the stamps.
  double ns = 0;
  double wall_ns = 0;  ///< By the referee's clock around the call, nothing subtracted.
  /// cpu: processor time that its threads used before the request and after the answer.
  double outside_ns = 0;
  /// `ns` counts for nothing. cuda: stamps and events disagree. cpu: threads worked outside of the
  /// call.
  bool is_void = false;
  bool may_be_input_write = false;  ///< A fault that a second run may explain: refine_crash().
};

/// Looks at what the latest call, on this input set, left in slot 0: the process is at rest.
using AfterCall = std::function<Result<std::optional<Verdict>>(int set)>;

/// Runs one program at a bench. Short calls make up a sample together, each a request of its own:
/// its inputs appear in the buffers when the call before has ended, and its outputs are looked at
/// and overwritten before the next one, by the referee and while the process rests. So no call can
/// do the work of another. On cpu a process that is not trusted sees each timed input set at
/// most once: when the sets are used up it is replaced, and the new one begins with a warm-up call
/// on a set of its own. So nothing that code remembers can be the answer to a timed call. On cuda,
/// where a process costs 150 ms, it lives on where each pair has a set of its own (Bench::answer):
/// its modules are loaded anew before every timed call, and its workspaces are made anew.
class Seat {
 public:
  /// `follows`: it lives as long as another seat's process, whose sets it is given, or is given
  /// sets that nothing has seen. A sample has `calls` calls; the bench has `sets` prepared timed
  /// sets, sets >= calls. `account` must outlive it.
  Seat(Bench& bench, Leg& leg, int calls, int sets, bool follows, std::int64_t timeout_ns,
       Seed seed, Account& account);

  /// Begins a life if fewer than one sample's sets are left; verdict if it would not load or failed
  /// its warm-up call.
  Result<std::optional<Verdict>> ready();
  /// Whether ready() would begin a life.
  bool needs_life() const;
  /// A new process with its warm-up call; verdict as for ready().
  Result<std::optional<Verdict>> begin_life();
  /// More sets have been prepared; lives to come may use them.
  void offer(int sets) { sets_ = sets; }
  /// Samples of fewer calls from now on, on the first sets that it is given; at least one.
  void shorten(int calls) {
    KW_ASSERT(calls >= 1 && calls <= calls_);
    calls_ = calls;
  }
  int calls() const { return calls_; }
  /// From now on outputs are left as they are before a call, unless they begin as something: for a
  /// GPU's baseline, which is the task's own code and whose answers were checked when it sat down.
  /// What a call finds there is then its own answer or the candidate's, and nothing is read from
  /// it.
  void spare_poison() { outputs_ = Outputs::AsLeft; }
  /// A warm-up call; ns is a first estimate.
  Result<TimedCall> warm_up();
  /// A call like a timed one, but on the warm-up's set: it counts for nothing but an estimate.
  Result<TimedCall> estimate();
  /// Sets for the next sample, one per call; marks them as seen where that matters. Precondition:
  /// ready().
  std::vector<int> draw_sets();
  /// For each of the sets: places it, makes caches cold, times a call, and lets `after` look.
  Result<TimedCall> time(const std::vector<int>& sets, const AfterCall& after = {});
  /// One call as time() makes it, for the caller to look at.
  Result<TimedCall> time_one(int set) { return call(set, true); }
  /// The same on inputs that are drawn for this call alone: nobody knows their truth.
  Result<TimedCall> time_unknown();
  /// Makes caches cold and times a call on what the one before it left, workspaces apart: nothing
  /// to check.
  Result<TimedCall> time_again();
  /// The same of a host launcher by its function, not by its graph.
  Result<TimedCall> time_by_stream();

  Leg& leg() { return leg_; }
  const StampWatch& stamps() const { return stamps_; }
  const Lateness& lateness() const { return lateness_; }
  int lives() const { return lives_; }

 private:
  Result<TimedCall> call(int set, bool is_timed);
  Result<TimedCall> run(bool is_timed, device::CallKind kind = device::CallKind::Timed);
  void shuffle_sets();

  Bench& bench_;
  Leg& leg_;
  int calls_;
  int sets_;
  bool lives_on_;  ///< Does not end its process itself.
  std::int64_t timeout_ns_;
  Rng rng_;
  StampWatch stamps_;
  Lateness lateness_;
  Account& account_;
  Outputs outputs_ = Outputs::Poisoned;
  std::vector<int> unseen_;
  int lives_ = 0;
};

}  // namespace kw::referee
