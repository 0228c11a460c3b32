// One candidate on its way through load, run, check and measure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "device/device.h"
#include "platform/clock.h"
#include "record/evaluation.h"
#include "referee/bench.h"
#include "referee/haste.h"
#include "referee/leg.h"
#include "referee/program.h"
#include "referee/referee.h"

namespace kw::referee {

/// One candidate's evaluation in progress. Keeps the candidate's processes that live on from the
/// check to the measurement (on a GPU), and enters what it sees in the evaluation.
class Trial {
 public:
  /// All references are borrowed and outlive the trial; `seed` is the run's. Figures, findings and
  /// the times of loading go into `to`, which gets no verdict here.
  Trial(device::Device& device, const DeviceFacts& facts, const Options& options,
        platform::Clock& clock, const EvaluationRequest& request, const Program& program, Seed seed,
        const Haste& haste, Evaluation& to)
      : device_(device),
        facts_(facts),
        options_(options),
        clock_(clock),
        request_(request),
        program_(program),
        seed_(seed),
        haste_(haste),
        to_(to),
        rng_(seed.child("trial").child(request.id)) {}

  /// A verdict that ends the evaluation; nothing: go on.
  using Fate = Result<std::optional<Verdict>>;

  /// Starts the candidate and checks its calls at small workloads, which are prepared. `timed`: the
  /// workload at which the same process will be timed; null: none.
  Fate load_and_check(const std::vector<Bench*>& small, Bench* timed);
  /// Checks a shape that will be timed, and whether two runs on equal inputs agree.
  Fate check_timed(Bench& bench);
  /// Checks the bench's shape on values that its timed inputs do not have.
  Fate check_borrowed(Bench& bench);
  /// Times the candidate, against the opponent unless that is null, at workloads that were checked.
  /// `memory_bytes` is shared out equally among them.
  Fate measure(const std::vector<Bench*>& timed, const Program* opponent,
               std::int64_t memory_bytes);
  /// Ends every process of the candidate: they map buffers whose memory is about to be renewed.
  void end_processes() { kept_.clear(); }
  /// Time in ns that the checks spent on truths, which later judgements of a run reuse.
  double truth_ns() const { return truth_ns_; }

 private:
  Fate run_one(Bench& bench, Leg& leg, int set, bool is_watched);
  Fate watch(Bench& bench, Leg& leg);
  Result<device::CallResult> call(const Bench& bench, Leg& leg) const;
  WorkloadResult& result_of(const Bench& bench);
  std::int64_t timeout_of(const Bench& bench) const;

  device::Device& device_;
  const DeviceFacts& facts_;
  const Options& options_;
  platform::Clock& clock_;
  const EvaluationRequest& request_;
  const Program& program_;
  Seed seed_;
  const Haste& haste_;
  Evaluation& to_;
  Rng rng_;
  std::map<const Bench*, std::unique_ptr<Leg>> kept_;  ///< cuda: checked legs.
  double truth_ns_ = 0;
};

}  // namespace kw::referee
