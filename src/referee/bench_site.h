// What the parts of one bench share: where it stands, whose truths it believes, and its inputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "device/device.h"
#include "record/target.h"
#include "record/task.h"
#include "referee/coded_inputs.h"
#include "referee/inputs.h"
#include "referee/program.h"
#include "referee/truth.h"

namespace kw::referee {

/// The input set of warm-up calls. Timed calls use sets 1 and up; checks of small workloads use set
/// 1.
inline constexpr int kWarmSet = 0;

/// The task's own code, shared by all benches of a run.
struct Trusted {
  TruthMaker maker;
  /// The program of reference_native; null for tasks without a second gate.
  const Program* native = nullptr;
  /// Runs the task's reference_fast on the GPU itself; its `reference` is null where the task ships
  /// none.
  TruthMaker fast = {};
  /// The program of the task's init.cpp; null for tasks that have none.
  const Program* coded = nullptr;
};

/// The referee's own buffers of the sizes of a workload's tensors, for snapshots. Each is allocated
/// when first asked for.
class Scratch {
 public:
  /// Device and workload are borrowed.
  Scratch(device::Device& device, const Workload& workload)
      : device_(device), workload_(workload), buffers_(workload.tensors.size()) {}

  /// The buffer of a tensor's size; its content is undefined.
  Result<device::Buffer*> buffer(std::size_t tensor);

 private:
  device::Device& device_;
  const Workload& workload_;
  Buffers buffers_;
};

/// What the parts of one bench share. Device, task and workload are borrowed and outlive the bench.
struct BenchSite {
  BenchSite(device::Device& device, const Task& task, const Workload& workload, Seed seed,
            const Trusted& trusted);
  BenchSite(const BenchSite&) = delete;
  BenchSite& operator=(const BenchSite&) = delete;

  bool runs_plans() const { return row_of(device.facts().target).launches_by_plan; }

  device::Device& device;
  const Task& task;
  const Workload& workload;
  Seed seed;
  Trusted trusted;
  /// Whether truths come from the fast reference, because the host would take too long.
  bool is_fast;
  CodedInputs coded;
  InputPool pool;
  Scratch scratch;
};

}  // namespace kw::referee
