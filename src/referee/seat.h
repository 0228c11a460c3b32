// A candidate or an opponent at one timed workload: cold calls on sets that its process has not
// seen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "referee/bench.h"

namespace kw::referee {

/// One timed call (or one batch of calls on distinct buffers and inputs).
struct TimedCall {
  std::optional<Verdict> verdict;  ///< Of the call itself; nothing: it returned.
  double ns = 0;                   ///< Per call, net of the empty call; may be <= 0 for trifles.
  bool crashed_outside_guard = false;
};

/// Runs one object at a bench. A process that is not trusted sees each timed input set at most
/// once: when the sets are used up it is replaced, and the new one begins with a warm-up call on a
/// set of its own. So nothing that code remembers can be the answer to a timed call.
class Seat {
 public:
  /// `trusted` processes live on and may see a set again. The bench has `slots` slots and `sets`
  /// prepared timed sets, sets >= slots.
  Seat(Bench& bench, Leg& leg, int slots, int sets, bool trusted, std::int64_t timeout_ns,
       Seed seed);

  /// Begins a life if fewer than one sample's sets are left; verdict if it would not load or failed
  /// its warm-up call.
  Result<std::optional<Verdict>> ready();
  /// Whether ready() would begin a life.
  bool needs_life() const;
  /// A new process with its warm-up call; verdict as for ready().
  Result<std::optional<Verdict>> begin_life();
  /// More sets have been prepared; lives to come may use them.
  void offer(int sets) { sets_ = sets; }
  /// A warm-up call; ns is a first estimate.
  Result<TimedCall> warm_up();
  /// Sets for the next sample, one per slot; marks them as seen. Precondition: ready().
  std::vector<int> draw_sets();
  /// Places the sets, makes caches cold, times the call.
  Result<TimedCall> time(const std::vector<int>& sets);

  Leg& leg() { return leg_; }
  int lives() const { return lives_; }

 private:
  Result<TimedCall> call(const std::vector<int>& sets, bool cold);
  void shuffle_sets();

  Bench& bench_;
  Leg& leg_;
  int slots_;
  int sets_;
  bool trusted_;
  std::int64_t timeout_ns_;
  Rng rng_;
  std::vector<int> unseen_;
  int lives_ = 0;
};

}  // namespace kw::referee
