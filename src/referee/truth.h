// The float64 truth of a workload at one input set, computed by the task's reference in a player.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "record/evaluation.h"
#include "referee/inputs.h"
#include "referee/leg.h"
#include "referee/program.h"

namespace kw::referee {

/// Whose truth, where, and under which limits.
struct TruthMaker {
  device::Device* device = nullptr;  ///< Where the reference runs: the host of a GPU, or the GPU.
  const Task* task = nullptr;
  const Program* reference = nullptr;  ///< reference_f64 or reference_fast.
  const Program* magnitude = nullptr;  ///< magnitude_…; needed by the `dot` gate only.
  JailLevel jail = JailLevel::Namespace;
  std::int64_t timeout_ns = 0;

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
};

/// Truths of one workload, set after set, by one process of each reference on one set of widened
/// buffers: on a GPU a process costs more than what it computes. Holds their memory while it lives.
class TruthSeries {
 public:
  /// `maker` and `workload` outlive it.
  TruthSeries(const TruthMaker& maker, const Workload& workload)
      : maker_(maker), workload_(workload) {}

  /// Errors as for TruthMaker::compute.
  Result<TruthMaker::Truth> compute(const Buffers& set);

 private:
  Result<double> run(const Program& program, std::unique_ptr<Leg>& leg, const Buffers& set,
                     Buffers& to);

  const TruthMaker& maker_;
  const Workload& workload_;
  Buffers wide_;
  std::unique_ptr<Leg> reference_;
  std::unique_ptr<Leg> magnitude_;
};

/// The tensor with its reals as float64: what the truth's buffers hold.
Tensor widened(Tensor tensor);

}  // namespace kw::referee
