// Runs a candidate or an opponent at one timed workload: cold calls on input sets that its process
// has not seen.
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

/// One timed call, or a sample that several short calls make up.
struct TimedCall {
  /// The verdict on a call that did not return; nothing if all returned.
  std::optional<Verdict> verdict;
  /// The verdict on what a call left in memory (AfterCall); a verdict ends the sample.
  std::optional<Verdict> afterwards = std::nullopt;
  /// Time per call. cpu: less the time of an empty call, so a call that does almost nothing may
  /// have a time <= 0. cuda: between the stamps.
  double ns = 0;
  double wall_ns = 0;  ///< Time around the call by the referee's clock, nothing subtracted.
  /// cpu: processor time that the program's threads used before the request and after the answer.
  double outside_ns = 0;
  /// True if `ns` must not be used. cuda: stamps and events disagree. cpu: threads worked outside
  /// of the call.
  bool is_void = false;
  /// True if the fault may be a write to an input, which a second run can show: refine_crash().
  bool may_be_input_write = false;
};

/// Looks at what the latest call, on input set `set`, left in slot 0, while the process is stopped.
using AfterCall = std::function<Result<std::optional<Verdict>>(int set)>;

/// Runs one program at a bench. Short calls make up a sample together, and each is a separate
/// request: its inputs appear in the buffers when the previous call has ended, and the referee
/// looks at its outputs and overwrites them before the next call, while the process is stopped. So
/// no call can do the work of another. On cpu a process that is not trusted sees each timed input
/// set at most once: when the sets are used up the process is replaced, and the new one begins with
/// a warm-up call on the warm-up set. So nothing that code remembers can be the answer to a timed
/// call. On cuda, where a process costs 150 ms, the process lives on if each pair has a set of its
/// own (KnownTruths::answer); its modules are loaded anew before every timed call, and its
/// workspaces are filled anew.
class Seat {
 public:
  /// `follows`: this seat does not replace its process when input sets run out, because it uses
  /// another seat's sets or gets sets that nothing has seen. A sample has `calls` calls; the bench
  /// has `sets` prepared timed sets, sets >= calls. `account` must outlive the seat.
  Seat(Bench& bench, Leg& leg, int calls, int sets, bool follows, std::int64_t timeout_ns,
       Seed seed, Account& account);

  /// Starts a new process if fewer unseen input sets are left than a sample needs; a verdict if the
  /// program would not load or failed its warm-up call.
  Result<std::optional<Verdict>> ready();
  /// Whether ready() would start a new process.
  bool needs_life() const;
  /// Starts a new process and makes its warm-up call; verdict as for ready().
  Result<std::optional<Verdict>> begin_life();
  /// To be called when more input sets have been prepared; later processes may use them.
  void offer(int sets) { sets_ = sets; }
  /// Makes later samples consist of fewer calls, at least one; such samples use the first of the
  /// input sets that time() is given.
  void shorten(int calls) {
    KW_ASSERT(calls >= 1 && calls <= calls_);
    calls_ = calls;
  }
  int calls() const { return calls_; }
  /// From now on outputs without declared initial content are left as they are before a call. This
  /// is for a GPU's baseline, which is the task's own code and whose answers were checked when its
  /// first calls were made: what a call finds in an output is its own answer or the candidate's,
  /// and the baseline reads nothing from it.
  void spare_poison() { outputs_ = Outputs::AsLeft; }
  /// Makes a warm-up call; its `ns` is a first estimate.
  Result<TimedCall> warm_up();
  /// Makes a call like a timed one, but on the warm-up set: its time serves as an estimate only.
  Result<TimedCall> estimate();
  /// Input sets for the next sample, one per call; marks them as seen where a process must see each
  /// set only once. Precondition: ready().
  std::vector<int> draw_sets();
  /// For each of the input sets: places it, makes caches cold, times a call, and lets `after` look
  /// at the outputs.
  Result<TimedCall> time(const std::vector<int>& sets, const AfterCall& after = {});
  /// Makes one call as time() does, and leaves its outputs for the caller to look at.
  Result<TimedCall> time_one(int set) { return call(set, true); }
  /// Makes one call as time() does, on inputs that are drawn for this call alone and whose truth is
  /// never computed.
  Result<TimedCall> time_unknown();
  /// Makes caches cold and times a call on what the previous call left; only workspaces are filled
  /// anew. The outputs cannot be checked.
  Result<TimedCall> time_again();
  /// Calls time_again() for a host launcher through its function instead of its captured graph.
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
  bool lives_on_;  ///< Does not replace its process when the sets are used up.
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
