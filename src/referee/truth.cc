// References run at double in their own player, on their own buffers.
// SPDX-License-Identifier: Apache-2.0
#include "referee/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "referee/arguments.h"
#include "referee/fate.h"

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

std::string who(const TruthMaker& maker, const BuildUnit& unit, const Workload& workload) {
  return fmt::format("the reference of task '{}' ({}) on workload '{}'", maker.task->name,
                     unit.role, workload.name);
}

// One call of `unit` for each job on its buffers, all in one process; returns their times.
Result<std::vector<double>> run_all(const TruthMaker& maker, const BuildUnit& unit,
                                    std::span<const TruthMaker::Job> jobs,
                                    std::span<const Buffers> buffers) {
  const std::string first = who(maker, unit, *jobs.front().workload);
  if (unit.object.empty()) return fail(first + " has no built object");
  device::PlayerSpec spec{.name = "reference", .jail = maker.jail, .buffers = {}, .writable = {}};
  std::vector<int> first_buffer;
  for (const Buffers& of_job : buffers) {
    first_buffer.push_back(static_cast<int>(spec.buffers.size()));
    for (const auto& buffer : of_job) spec.buffers.push_back(buffer.get());
  }
  spec.writable.assign(spec.buffers.size(), true);
  const auto player = KW_TRY(maker.device->start_player(spec));
  const device::LoadResult load = player->load(unit.object.front());
  if (load.fate != device::Fate::Returned)
    return fail(fmt::format("{} {}: {}", first, words_of(load.fate, 0), load.detail));
  std::vector<double> times;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    device::Call call{.object = load.object,
                      .argument_sets = {arguments_of(*maker.task, *jobs[i].workload,
                                                     first_buffer[i], Precision::Double)},
                      .timeout_ns = maker.timeout_ns};
    const device::CallResult result = player->call(call);
    if (result.fate != device::Fate::Returned)
      return fail(fmt::format("{} {}; the task is at fault, not the candidate",
                              who(maker, unit, *jobs[i].workload),
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
    return fail(fmt::format("task '{}' came without its reference", task->name));
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
