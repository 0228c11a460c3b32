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

/// Longest that a reference may take for a workload that is not timed. Those exist to be small, and
/// people wait for them: what takes a minute hangs, or belongs into the group `time`.
inline constexpr std::int64_t kSmallTimeoutNs = 60'000'000'000;

/// Whose truth, where, and under which limits.
struct TruthMaker {
  device::Device* device = nullptr;  ///< Where the reference runs: the host of a GPU, or the GPU.
  const Task* task = nullptr;
  const Program* reference = nullptr;  ///< reference_f64 or reference_fast.
  const Program* magnitude = nullptr;  ///< magnitude_…; needed by the `dot` gate only.
  JailLevel jail = JailLevel::Namespace;
  std::int64_t timeout_ns = 0;  ///< Of a call, but see limit_of().
  Patience patience = {};
  /// What the outputs hold before a call, where the task does not say: random bytes of this seed;
  /// none: zeros.
  std::optional<Seed> poison = std::nullopt;

  struct Truth {
    Buffers values;      ///< Per tensor; null where not compared. float64; integers as they are.
    Buffers magnitudes;  ///< Same; empty unless the gate is `dot`.
    double reference_ns = 0;
  };

  /// One workload with one input set, in memory of `device`; both borrowed.
  struct Job {
    const Workload* workload = nullptr;
    const Buffers* set = nullptr;
  };

  /// Runs the reference (and the magnitude) on widened copies that no candidate ever maps, one
  /// process of each for all jobs. One truth per job, in their order. An error names the reference
  /// and the workload on which it crashed or hung.
  Result<std::vector<Truth>> compute(std::span<const Job> jobs) const;
  /// Whether there is what compute() needs.
  Result<> check() const;
  /// How long a reference may take for this workload.
  std::int64_t limit_of(const Workload& workload) const;
  /// A call of a reference, at the task's type too: limited, and told of where it takes its time.
  Result<device::CallResult> call(Leg& leg, const Workload& workload) const;
};

/// Truths of one workload, set after set, by one process of each reference on one set of widened
/// buffers: on a GPU a process costs more than what it computes. Holds their memory while it lives.
class TruthSeries {
 public:
  /// `maker` and `workload` outlive it.
  TruthSeries(const TruthMaker& maker, const Workload& workload)
      : maker_(maker), workload_(workload) {}

  /// Errors as for TruthMaker::compute. `recycled`: a truth of this workload that nobody needs any
  /// more, whose memory the new one takes.
  Result<TruthMaker::Truth> compute(const Buffers& set, TruthMaker::Truth recycled = {});
  /// The values alone, where the reference left them: float64, whole tensors, until the next call.
  Result<const Buffers*> values(const Buffers& set);

 private:
  Result<double> call(const Program& program, std::unique_ptr<Leg>& leg, const Buffers& set);
  Result<> keep(Buffers& to) const;

  const TruthMaker& maker_;
  const Workload& workload_;
  Buffers wide_;
  std::unique_ptr<Leg> reference_;
  std::unique_ptr<Leg> magnitude_;
};

/// The tensor with its reals as float64: what the truth's buffers hold.
Tensor widened(Tensor tensor);

}  // namespace kw::referee
