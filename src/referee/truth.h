// The float64 truth of a workload at one input set, computed by the task's reference in a player.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "device/device.h"
#include "record/evaluation.h"
#include "referee/inputs.h"
#include "referee/leg.h"
#include "referee/patience.h"
#include "referee/program.h"

namespace kw::referee {

/// Time limit of a reference for a workload that is not timed. Such workloads exist to be small,
/// and people wait for them: what takes a minute hangs, or belongs into the group `time`.
inline constexpr std::int64_t kSmallTimeoutNs = 60'000'000'000;

/// Which reference computes the truth, where, and under which limits.
struct TruthMaker {
  device::Device* device = nullptr;  ///< Where the reference runs: the host of a GPU, or the GPU.
  const Task* task = nullptr;
  const Program* reference = nullptr;  ///< reference_f64 or reference_fast.
  const Program* magnitude = nullptr;  ///< magnitude_…; only the `dot` gate needs it.
  JailLevel jail = JailLevel::Namespace;
  std::int64_t timeout_ns = 0;  ///< Time limit of a call; limit_of() may lower it.
  Patience patience = {};
  /// Seed of the random bytes that outputs hold before a call where the task does not say; none:
  /// zeros.
  std::optional<Seed> poison = std::nullopt;

  struct Truth {
    /// By tensor, null where not compared. Reals as float64, integers as they are.
    Buffers values;
    Buffers magnitudes;  ///< By tensor, as `values`; empty unless the gate is `dot`.
    double reference_ns = 0;
  };

  /// One workload with one input set, in memory of `device`; both are borrowed.
  struct Job {
    const Workload* workload = nullptr;
    const Buffers* set = nullptr;
  };

  /// Runs the reference (and the magnitude) on widened copies that no candidate ever maps, with one
  /// process of each for all jobs. Returns one truth per job, in their order. An error names the
  /// reference and the workload on which it crashed or hung.
  Result<std::vector<Truth>> compute(std::span<const Job> jobs) const;
  /// An error if something that compute() needs is missing.
  Result<> check() const;
  /// Time limit of a reference for this workload.
  std::int64_t limit_of(const Workload& workload) const;
  /// Makes a limited call of a reference, also at the task's type; a long wait is reported.
  Result<device::CallResult> call(Leg& leg, const Workload& workload) const;
};

/// Computes truths of one workload for one input set after another, with one process of each
/// reference on the same widened buffers: on a GPU a process costs more than what it computes.
/// Holds the memory while it lives.
class TruthSeries {
 public:
  /// `maker` and `workload` must outlive the series.
  TruthSeries(const TruthMaker& maker, const Workload& workload)
      : maker_(maker), workload_(workload) {}

  /// Computes the truth of an input set; errors as for TruthMaker::compute. `recycled`: a truth of
  /// this workload that nobody needs any more, whose memory the new truth takes.
  Result<TruthMaker::Truth> compute(const Buffers& set, TruthMaker::Truth recycled = {});
  /// Computes the values alone and leaves them where the reference put them: float64, whole
  /// tensors, valid until the next call.
  Result<const Buffers*> values(const Buffers& set);
  /// Time of the latest call for values().
  double elapsed_ns() const { return elapsed_ns_; }

 private:
  Result<double> call(const Program& program, std::unique_ptr<Leg>& leg, const Buffers& set);
  Result<> keep(Buffers& to) const;

  const TruthMaker& maker_;
  const Workload& workload_;
  Buffers wide_;
  std::unique_ptr<Leg> reference_;
  std::unique_ptr<Leg> magnitude_;
  double elapsed_ns_ = 0;
};

/// The tensor with float64 in place of other reals, as the truth's buffers hold it.
Tensor widened(Tensor tensor);

/// Bytes beside the buffers that a player of the host needs while it computes the truth: where
/// has_long_truth() holds, the real tensors in long double; else none.
std::int64_t bytes_in_player(const Task& task, const Workload& workload);

}  // namespace kw::referee
