// Runs references at double in a player of their own, on buffers of their own.
// SPDX-License-Identifier: Apache-2.0
#include "referee/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "record/long_truth.h"
#include "referee/fate.h"
#include "referee/leg.h"

namespace kw::referee {
namespace {

Result<Buffers> allocate_wide(device::Device& device, const Workload& workload) {
  Buffers wide;
  for (const Tensor& tensor : workload.tensors)
    wide.push_back(KW_TRY(device.allocate({.name = "truth." + tensor.name,
                                           .bytes = widened(tensor).bytes(),
                                           .alignment = std::max<std::int64_t>(tensor.alignment, 8),
                                           .shared = true})));
  return wide;
}

Result<> widen_into(Buffers& wide, const TruthMaker& maker, const Workload& workload,
                    const Buffers& set) {
  device::BufferOps& ops = maker.device->ops();
  for (std::size_t i = 0; i < workload.tensors.size(); ++i) {
    const Tensor& tensor = workload.tensors[i];
    if (is_drawn(tensor) && is_real(tensor.dtype))
      KW_TRY(ops.widen(*wide[i], *set[i], tensor));
    else if (is_drawn(tensor))
      KW_TRY(ops.copy(*wide[i], *set[i]));
    else if (maker.poison && tensor.initial != Initial::Zero)
      KW_TRY(ops.poison(*wide[i], maker.poison->child(i).low));
    else
      KW_TRY(ops.fill(*wide[i], zeroed(widened(tensor)), 0));
  }
  return {};
}

std::string who(const TruthMaker& maker, const Program& program, const Workload& workload) {
  return fmt::format("the reference of task '{}' ({}) on workload '{}'", maker.task->name,
                     program.role, workload.name);
}

// Starts a process of `program` that maps every job's buffers.
Result<std::unique_ptr<Leg>> start(const TruthMaker& maker, const Program& program,
                                   std::span<const TruthMaker::Job> jobs,
                                   std::span<const Buffers> buffers) {
  device::PlayerSpec spec{.name = "reference", .jail = maker.jail, .buffers = {}, .writable = {}};
  std::vector<Stand> stands;
  std::int64_t own_bytes = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    stands.push_back({jobs[i].workload, static_cast<int>(spec.buffers.size()), Precision::Double});
    for (const auto& buffer : buffers[i]) spec.buffers.push_back(buffer.get());
    if (program.role == "reference_f64")
      own_bytes += bytes_in_player(*maker.task, *jobs[i].workload);
  }
  if (own_bytes > 0) spec.memory_bytes = kDefaultWorkspaceBytes + own_bytes;
  spec.writable.assign(spec.buffers.size(), true);
  // The poison of a reference's workspaces need not be secret.
  auto leg = std::make_unique<Leg>(*maker.device, *maker.task, std::move(spec), program,
                                   std::move(stands), Seed::from_number(0));
  if (const auto refused = KW_TRY(leg->renew()))
    return fail_input(
        ErrorCode::TaskAtFault, About{std::string(name_of(refused->seen.kind))},
        fmt::format("{}: {}", who(maker, program, *jobs.front().workload), refused->evidence));
  return leg;
}

// Makes one call for each job; returns their times.
Result<std::vector<double>> run_all(const TruthMaker& maker, Leg& leg,
                                    std::span<const TruthMaker::Job> jobs) {
  std::vector<double> times;
  for (const TruthMaker::Job& job : jobs) {
    KW_TRY(leg.make_ready(*job.workload));
    const auto result = KW_TRY(maker.call(leg, *job.workload));
    times.push_back(result.elapsed_ns);
  }
  return times;
}

Result<std::vector<Buffers>> widen_all(const TruthMaker& maker,
                                       std::span<const TruthMaker::Job> jobs) {
  std::vector<Buffers> wide;
  for (const TruthMaker::Job& job : jobs) {
    wide.push_back(KW_TRY(allocate_wide(*maker.device, *job.workload)));
    KW_TRY(widen_into(wide.back(), maker, *job.workload, *job.set));
  }
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

std::int64_t bytes_in_player(const Task& task, const Workload& workload) {
  if (!has_long_truth(task)) return 0;
  std::int64_t elements = 0;
  for (const Tensor& tensor : workload.tensors)
    if (is_real(tensor.dtype)) elements += tensor.extent();
  return elements * static_cast<std::int64_t>(sizeof(long double));
}

Result<> TruthMaker::check() const {
  if (reference == nullptr)
    return fail(ErrorCode::Missing, About{"reference_f64"},
                fmt::format("the request has no compiled reference of task '{}'", task->name));
  if (task->gate.kind == GateKind::Dot && magnitude == nullptr)
    return fail_input(
        ErrorCode::Missing, About{"magnitude_f64"},
        fmt::format("task '{}' has the gate 'dot', which needs a magnitude function, and has none",
                    task->name));
  return {};
}

std::int64_t TruthMaker::limit_of(const Workload& workload) const {
  return workload.group == kw::Group::Time ? timeout_ns : std::min(timeout_ns, kSmallTimeoutNs);
}

Result<device::CallResult> TruthMaker::call(Leg& leg, const Workload& workload) const {
  const std::string what = who(*this, leg.program(), workload);
  const std::int64_t limit_ns = limit_of(workload);
  const Vigil vigil(patience, fmt::format("{}, which may take {:.3g} s", what,
                                          static_cast<double>(limit_ns) / 1e9));
  const auto result = KW_TRY(leg.call(workload, limit_ns));
  if (result.fate == device::Fate::Returned) return result;
  return fail_input(ErrorCode::TaskAtFault,
                    About{std::string(name_of(ending_of(result.fate, result.signal).kind))},
                    fmt::format("{} {}; the task is at fault, not the candidate", what,
                                words_of(result.fate, result.signal, limit_ns)));
}

Result<std::vector<TruthMaker::Truth>> TruthMaker::compute(std::span<const Job> jobs) const {
  KW_ASSERT(!jobs.empty());
  KW_TRY(check());
  std::vector<Truth> truths(jobs.size());
  auto values = KW_TRY(widen_all(*this, jobs));
  const auto times = KW_TRY(run_all(*this, *KW_TRY(start(*this, *reference, jobs, values)), jobs));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    truths[i].values = std::move(values[i]);
    truths[i].reference_ns = times[i];
    keep_compared(*jobs[i].workload, truths[i].values);
  }
  if (task->gate.kind != GateKind::Dot) return truths;
  auto magnitudes = KW_TRY(widen_all(*this, jobs));
  KW_TRY(run_all(*this, *KW_TRY(start(*this, *magnitude, jobs, magnitudes)), jobs));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    truths[i].magnitudes = std::move(magnitudes[i]);
    keep_compared(*jobs[i].workload, truths[i].magnitudes);
  }
  return truths;
}

// Makes one call of a program on the widened input set; its outputs then lie in `wide_`.
Result<double> TruthSeries::call(const Program& program, std::unique_ptr<Leg>& leg,
                                 const Buffers& set) {
  KW_TRY(maker_.check());
  const TruthMaker::Job job{&workload_, &set};
  if (wide_.empty()) wide_ = KW_TRY(allocate_wide(*maker_.device, workload_));
  KW_TRY(widen_into(wide_, maker_, workload_, set));
  if (leg && !leg->is_alive()) leg.reset();  // the process crashed at an earlier set
  if (!leg) leg = KW_TRY(start(maker_, program, std::span(&job, 1), std::span(&wide_, 1)));
  return KW_TRY(run_all(maker_, *leg, std::span(&job, 1))).front();
}

Result<> TruthSeries::keep(Buffers& to) const {
  to.resize(wide_.size());
  for (std::size_t i = 0; i < wide_.size(); ++i) {
    if (workload_.tensors[i].compared.empty()) continue;
    if (!to[i])
      to[i] = KW_TRY(maker_.device->allocate(
          {.name = "truth", .bytes = wide_[i]->bytes(), .alignment = 64, .shared = false}));
    KW_TRY(maker_.device->ops().copy(*to[i], *wide_[i]));
  }
  return {};
}

Result<TruthMaker::Truth> TruthSeries::compute(const Buffers& set, TruthMaker::Truth recycled) {
  TruthMaker::Truth truth = std::move(recycled);
  truth.reference_ns = KW_TRY(call(*maker_.reference, reference_, set));
  KW_TRY(keep(truth.values));
  if (maker_.task->gate.kind == GateKind::Dot) {
    (void)KW_TRY(call(*maker_.magnitude, magnitude_, set));
    KW_TRY(keep(truth.magnitudes));
  }
  return truth;
}

Result<const Buffers*> TruthSeries::values(const Buffers& set) {
  elapsed_ns_ = KW_TRY(call(*maker_.reference, reference_, set));
  return &wide_;
}

}  // namespace kw::referee
