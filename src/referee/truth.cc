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

// One call of `unit` on the buffers; returns its time.
Result<double> run_once(const TruthMaker& maker, const BuildUnit& unit, const Workload& workload,
                        const Buffers& buffers) {
  const std::string who = fmt::format("the reference of task '{}' ({}) on workload '{}'",
                                      maker.task->name, unit.role, workload.name);
  if (unit.object.empty()) return fail(who + " has no built object");
  device::PlayerSpec spec{.name = "reference", .jail = maker.jail, .buffers = {}, .writable = {}};
  for (const auto& buffer : buffers) spec.buffers.push_back(buffer.get());
  spec.writable.assign(buffers.size(), true);
  const auto player = KW_TRY(maker.device->start_player(spec));
  const device::LoadResult load = player->load(unit.object.front());
  if (load.fate != device::Fate::Returned)
    return fail(fmt::format("{} {}: {}", who, words_of(load.fate, 0), load.detail));
  device::Call call{.object = load.object,
                    .argument_sets = {arguments_of(*maker.task, workload, 0, Precision::Double)},
                    .timeout_ns = maker.timeout_ns};
  const device::CallResult result = player->call(call);
  if (result.fate != device::Fate::Returned)
    return fail(fmt::format("{} {}; the task is at fault, not the candidate", who,
                            words_of(result.fate, result.signal)));
  return result.elapsed_ns;
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

Result<TruthMaker::Truth> TruthMaker::compute(const Workload& workload, const Buffers& set) const {
  if (reference == nullptr)
    return fail(fmt::format("task '{}' came without its reference", task->name));
  Truth truth;
  truth.values = KW_TRY(widen_set(*device, workload, set));
  truth.reference_ns = KW_TRY(run_once(*this, *reference, workload, truth.values));
  keep_compared(workload, truth.values);
  if (task->gate.kind == GateKind::Dot) {
    if (magnitude == nullptr)
      return fail(
          fmt::format("task '{}' has the gate 'dot' and no magnitude function", task->name));
    truth.magnitudes = KW_TRY(widen_set(*device, workload, set));
    KW_TRY(run_once(*this, *magnitude, workload, truth.magnitudes));
    keep_compared(workload, truth.magnitudes);
  }
  return truth;
}

}  // namespace kw::referee
