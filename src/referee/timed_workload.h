// One workload of a timing, and what all parts of a timing share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "platform/clock.h"
#include "record/evaluation.h"
#include "referee/account.h"
#include "referee/bench.h"
#include "referee/haste.h"
#include "referee/leg.h"
#include "referee/program.h"
#include "referee/referee.h"
#include "referee/seat.h"

namespace kw::referee {

/// One workload at which candidate and opponent are timed.
struct TimedWorkload {
  Bench* bench = nullptr;
  WorkloadResult* result = nullptr;
  std::int64_t memory_bytes = 0;
  bool is_last = true;
  int calls = 1;           ///< Number of calls in a sample.
  int sets = 2;            ///< Number of prepared sets, at least `calls`.
  int most_sets = 2;       ///< Number of sets to which `sets` may grow.
  bool is_fresh = false;   ///< cuda: each pair has a set of its own.
  bool lives_on = false;   ///< cuda: processes live through many calls.
  std::vector<int> fresh;  ///< Fresh sets that are still held, the latest last.
  double call_ns = 0;      ///< First estimate of the time of the candidate's call.
  /// The candidate's leg if its process is replaced again and again.
  std::unique_ptr<Leg> own_leg;
  Leg* leg = nullptr;  ///< The candidate's leg: `own_leg`, or one that lives on.
  std::unique_ptr<Seat> candidate;
  std::unique_ptr<Seat> opponent;
  /// True if the opponent's process was started before the candidate's when both were last
  /// started.
  bool opponent_begins = false;
  int watched = 0;
  int fully_checked = 0;
};

/// What the parts of one timing share. All references are borrowed and outlive the timing.
struct TimingSite {
  device::Device& device;
  const DeviceFacts& facts;
  const Options& options;
  platform::Clock& clock;
  const EvaluationRequest& request;
  const Program& candidate;
  const Program* opponent;  ///< Null: the candidate is timed alone.
  Seed seed;
  const Haste& haste;
  Rng rng;
  Account account;
  std::vector<TimedWorkload> workloads = {};
  std::vector<Finding> findings = {};  ///< What a check of a timed call found wrong.

  /// Whether a trusted opponent's outputs are left without poison. They are poisoned on cpu, where
  /// poisoning costs little compared with the flush and both legs are treated alike.
  bool is_poison_spared(const TimedWorkload& at) const {
    return at.bench->runs_plans() && is_trusted(request.opponent.origin);
  }
};

/// Number of first pairs after which a comparison may prove hopeless, as in measure::PairPlan.
inline constexpr std::size_t kProbePairs = 3;

/// A verdict that ends the evaluation; nothing: go on.
using Ended = Result<std::optional<Verdict>>;
/// A time in ns, or nothing where the sample is void.
using SampleTime = std::optional<double>;

}  // namespace kw::referee
