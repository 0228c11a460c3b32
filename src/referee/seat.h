// A candidate or an opponent at one timed workload: cold calls on sets that its process has not
// seen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "referee/account.h"
#include "referee/bench.h"
#include "referee/stamps.h"

namespace kw::referee {

/// One timed call (or one batch of calls on distinct buffers and inputs).
struct TimedCall {
  std::optional<Verdict> verdict;  ///< Of the call itself; nothing: it returned.
  /// Per call. cpu: net of the empty call; may be <= 0 for trifles. cuda: between the stamps.
  double ns = 0;
  double wall_ns = 0;               ///< By the referee's clock around the call, nothing subtracted.
  bool is_void = false;             ///< cuda: stamps and events disagree; `ns` counts for nothing.
  bool may_be_input_write = false;  ///< A fault that a second run may explain: refine_crash().
};

/// Runs one program at a bench. On cpu a process that is not trusted sees each timed input set at
/// most once: when the sets are used up it is replaced, and the new one begins with a warm-up call
/// on a set of its own. So nothing that code remembers can be the answer to a timed call. On cuda,
/// where a process costs 150 ms, it lives on: its modules are loaded anew before every timed call,
/// its workspaces are made anew, and the set of a call is drawn from all of them.
class Seat {
 public:
  /// `trusted` processes live on and may see a set again; those of a GPU all do. The bench has
  /// `slots` slots and `sets` prepared timed sets, sets >= slots. `account` must outlive it.
  Seat(Bench& bench, Leg& leg, int slots, int sets, bool trusted, std::int64_t timeout_ns,
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
  void shorten(int slots) {
    KW_ASSERT(slots >= 1 && slots <= slots_);
    slots_ = slots;
  }
  int slots() const { return slots_; }
  /// From now on outputs are left as they are before a call, unless they begin as something: for a
  /// GPU's baseline, which is the task's own code and whose answers were checked when it sat down.
  /// What a call finds there is then its own answer or the candidate's, and nothing is read from
  /// it.
  void spare_poison() { outputs_ = Outputs::AsLeft; }
  /// A warm-up call; ns is a first estimate.
  Result<TimedCall> warm_up();
  /// The same on what the call before left: an estimate alone.
  Result<TimedCall> warm_up_again();
  /// Sets for the next sample, one per slot; marks them as seen where that matters. Precondition:
  /// ready().
  std::vector<int> draw_sets();
  /// Places the sets, makes caches cold, times the call.
  Result<TimedCall> time(const std::vector<int>& sets);
  /// Makes caches cold and times a call on what the one before it left, workspaces apart: nothing
  /// to check.
  Result<TimedCall> time_again();
  /// The same of a host launcher by its function, not by its graph.
  Result<TimedCall> time_by_stream();

  Leg& leg() { return leg_; }
  const StampWatch& stamps() const { return stamps_; }
  int lives() const { return lives_; }

 private:
  Result<TimedCall> call(const std::vector<int>& sets, bool is_timed);
  Result<TimedCall> run(bool is_timed, device::CallKind kind = device::CallKind::Timed);
  void shuffle_sets();

  Bench& bench_;
  Leg& leg_;
  int slots_;
  int sets_;
  bool lives_on_;
  std::int64_t timeout_ns_;
  Rng rng_;
  StampWatch stamps_;
  Account& account_;
  Outputs outputs_ = Outputs::Poisoned;
  std::vector<int> unseen_;
  int lives_ = 0;
};

}  // namespace kw::referee
