// References run at double in their own player, on their own buffers.
// SPDX-License-Identifier: Apache-2.0
#include "referee/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "referee/fate.h"
#include "referee/leg.h"

namespace kw::referee {
namespace {

Result<Buffers> widen_set(device::Device& device, const Workload& workload, const Buffers& set) {
  Buffers wide;
  for (std::size_t i = 0; i < workload.tensors.size(); ++i) {
    const Tensor& tensor = workload.tensors[i];
    const Tensor target = widened(tensor);
    auto buffer = KW_TRY(device.allocate({.name = "truth." + tensor.name,
                                          .bytes = target.bytes(),
                                          .alignment = std::max<std::int64_t>(tensor.alignment, 8),
                                          .shared = true}));
    if (!is_drawn(tensor))
      KW_TRY(device.ops().fill(*buffer, zeroed(target), 0));
    else if (is_real(tensor.dtype))
      KW_TRY(device.ops().widen(*buffer, *set[i], tensor));
    else
      KW_TRY(device.ops().copy(*buffer, *set[i]));
    wide.push_back(std::move(buffer));
  }
  return wide;
}

std::string who(const TruthMaker& maker, const Program& program, const Workload& workload) {
  return fmt::format("the reference of task '{}' ({}) on workload '{}'", maker.task->name,
                     program.role, workload.name);
}

// One call of `program` for each job on its buffers, all in one process; returns their times.
Result<std::vector<double>> run_all(const TruthMaker& maker, const Program& program,
                                    std::span<const TruthMaker::Job> jobs,
                                    std::span<const Buffers> buffers) {
  device::PlayerSpec spec{.name = "reference", .jail = maker.jail, .buffers = {}, .writable = {}};
  std::vector<Stand> stands;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    stands.push_back({jobs[i].workload, static_cast<int>(spec.buffers.size()), Precision::Double});
    for (const auto& buffer : buffers[i]) spec.buffers.push_back(buffer.get());
  }
  spec.writable.assign(spec.buffers.size(), true);
  // Poison of a reference's workspaces need not be secret.
  Leg leg(*maker.device, *maker.task, std::move(spec), program, std::move(stands),
          Seed::from_number(0));
  if (const auto refused = KW_TRY(leg.renew()))
    return fail(
        fmt::format("{}: {}", who(maker, program, *jobs.front().workload), refused->evidence));
  std::vector<double> times;
  for (const TruthMaker::Job& job : jobs) {
    KW_TRY(leg.make_ready(*job.workload));
    const device::CallResult result = leg.call(*job.workload, 1, maker.timeout_ns);
    if (result.fate != device::Fate::Returned)
      return fail(fmt::format("{} {}; the task is at fault, not the candidate",
                              who(maker, program, *job.workload),
                              words_of(result.fate, result.signal)));
    times.push_back(result.elapsed_ns);
  }
  return times;
}

Result<std::vector<Buffers>> widen_all(const TruthMaker& maker,
                                       std::span<const TruthMaker::Job> jobs) {
  std::vector<Buffers> wide;
  for (const TruthMaker::Job& job : jobs)
    wide.push_back(KW_TRY(widen_set(*maker.device, *job.workload, *job.set)));
  return wide;
}

void keep_compared(const Workload& workload, Buffers& buffers) {
  for (std::size_t i = 0; i < workload.tensors.size(); ++i)
    if (workload.tensors[i].compared.empty()) buffers[i].reset();
}

}  // namespace

Tensor widened(Tensor tensor) {
  if (is_real(tensor.dtype)) tensor.dtype = Dtype::F64;
  return tensor;
}

Result<std::vector<TruthMaker::Truth>> TruthMaker::compute(std::span<const Job> jobs) const {
  KW_ASSERT(!jobs.empty());
  if (reference == nullptr)
    return fail(fmt::format("task '{}' came without its reference, built", task->name));
  auto values = KW_TRY(widen_all(*this, jobs));
  const auto times = KW_TRY(run_all(*this, *reference, jobs, values));
  std::vector<Truth> truths(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    truths[i].values = std::move(values[i]);
    truths[i].reference_ns = times[i];
    keep_compared(*jobs[i].workload, truths[i].values);
  }
  if (task->gate.kind != GateKind::Dot) return truths;
  if (magnitude == nullptr)
    return fail(fmt::format("task '{}' has the gate 'dot' and no magnitude function", task->name));
  auto magnitudes = KW_TRY(widen_all(*this, jobs));
  KW_TRY(run_all(*this, *magnitude, jobs, magnitudes));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    truths[i].magnitudes = std::move(magnitudes[i]);
    keep_compared(*jobs[i].workload, truths[i].magnitudes);
  }
  return truths;
}

}  // namespace kw::referee
