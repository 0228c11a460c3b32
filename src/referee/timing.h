// Times candidate and opponent in interleaved pairs of cold calls, and checks every call of the
// candidate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "referee/pair_loop.h"
#include "referee/timed_candidate.h"
#include "referee/timed_lives.h"
#include "referee/timed_opponent.h"
#include "referee/timed_sets.h"
#include "referee/timed_workload.h"
#include "referee/timing_seats.h"
#include "referee/wall_clock.h"

namespace kw::referee {

/// The timed part of one evaluation over one or more benches; the caller keeps benches and records
/// alive.
class Timing {
 public:
  /// `opponent` may be null: the candidate is then timed alone. All references are borrowed.
  Timing(device::Device& device, const DeviceFacts& facts, const Options& options,
         platform::Clock& clock, const EvaluationRequest& request, const Program& candidate,
         const Program* opponent, Seed seed, const Haste& haste);
  Timing(const Timing&) = delete;
  Timing& operator=(const Timing&) = delete;
  /// Waits until no process works in the background.
  ~Timing();

  /// Adds a workload: prepares its input sets, starts candidate and opponent, decides the number of
  /// calls in a sample. A verdict if the candidate failed. `result` gets the figures.
  /// `memory_bytes` limits this bench's sets and slots. `leg` is the candidate's leg at this bench
  /// if its process is to live on, else null; borrowed. `is_last`: no other workload follows, so no
  /// other player starts for a while.
  Ended add(Bench& bench, WorkloadResult& result, std::int64_t memory_bytes, Leg* leg,
            bool is_last);
  /// Times pairs until the comparison is decided or the budget is spent. Precondition: at least one
  /// workload was added.
  Ended run();

  /// Says why add() or run() ended as (measure, unmeasurable): an opponent that is a candidate
  /// itself went wrong. A baseline that goes wrong is an error, unless it works again without the
  /// candidate.
  std::string opponent_fault() const { return opponent_.fault(); }
  /// The speedup over all workloads, valid after run().
  const Speedup& speedup() const { return speedup_; }
  std::vector<Finding> take_findings() { return std::move(site_.findings); }
  const Account& account() const { return site_.account; }

 private:
  Ended time_all();
  /// Checks what the pairs showed: by the referee's clock, in a long life, by physics.
  Ended confirm();
  Ended hold_to_physics(TimedWorkload& at);

  TimingSite site_;
  TimedSets sets_;
  TimedOpponent opponent_;
  TimedLives lives_;
  TimedCandidate candidate_;
  TimingSeats seats_;
  PairLoop pairs_;
  WallClock wall_clock_;
  Speedup speedup_;
};

}  // namespace kw::referee
