// Runs the reference at the task's type and compares its outputs with the truth.
// SPDX-License-Identifier: Apache-2.0
#include "referee/trusted_baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "referee/fate.h"

namespace kw::referee {

Result<std::unique_ptr<Leg>> TrustedBaseline::start(device::PlayerSpec spec,
                                                    const std::vector<Stand>& stands) const {
  auto leg = std::make_unique<Leg>(site_.device, site_.task, std::move(spec), *site_.trusted.native,
                                   stands, site_.seed.child("native"));
  if (const auto refused = KW_TRY(leg->renew()))
    return fail_input(
        ErrorCode::TaskAtFault, About{"reference_native"},
        fmt::format("the reference of task '{}', compiled for the task's type, fails: {}",
                    site_.task.name, refused->evidence));
  return leg;
}

Result<> TrustedBaseline::learn(Known& known) {
  if (!slots_.native) slots_.native = KW_TRY(start(player_spec(), {{.workload = &site_.workload}}));
  return learn(*slots_.native, known);
}

Result<> TrustedBaseline::learn_together(std::span<TrustedBaseline* const> baselines,
                                         std::span<Known> known) {
  device::PlayerSpec spec = baselines.front()->player_spec();
  spec.buffers.clear(), spec.writable.clear();
  std::vector<Stand> stands;
  for (const TrustedBaseline* baseline : baselines) {
    stands.push_back({&baseline->site_.workload, static_cast<int>(spec.buffers.size())});
    const device::PlayerSpec part = baseline->player_spec();
    spec.buffers.insert(spec.buffers.end(), part.buffers.begin(), part.buffers.end());
    spec.writable.insert(spec.writable.end(), part.writable.begin(), part.writable.end());
  }
  const auto leg = KW_TRY(baselines.front()->start(std::move(spec), stands));
  for (std::size_t i = 0; i < baselines.size(); ++i) KW_TRY(baselines[i]->learn(*leg, known[i]));
  return {};
}

Result<> TrustedBaseline::learn(Leg& leg, Known& known) {
  const Workload& workload = site_.workload;
  const Gate& gate = site_.task.gate;
  KW_TRY(leg.make_ready(workload));
  const auto call = KW_TRY(site_.trusted.maker.call(leg, workload));
  ns_ = ns_ > 0 ? std::min(ns_, call.elapsed_ns) : call.elapsed_ns;
  for (std::size_t i = 0; i < workload.tensors.size(); ++i) {
    const Tensor& tensor = workload.tensors[i];
    const device::Buffer* magnitude =
        known.truth.magnitudes.empty() ? nullptr : known.truth.magnitudes[i].get();
    for (std::size_t r = 0; r < tensor.compared.size(); ++r) {
      RegionTruth& facts = known.regions[i][r];
      const auto seen = KW_TRY(site_.device.ops().compare(
          *slots_[0].buffers[i], *known.truth.values[i], magnitude, tensor, tensor.compared[r],
          allowance_of(gate, tensor, workload, facts.max_abs), {}));
      if (auto failure = judge_region(gate, tensor, facts, seen, true, known.baseline))
        if (!known.baseline_failure)
          known.baseline_failure = fmt::format("tensor '{}': {}", tensor.name, words_of(*failure));
      facts.is_whole = seen.max_abs_diff == 0 && seen.failed == 0 && has_whole_inputs(workload);
      if (is_real(tensor.dtype) && facts.count > 0)
        facts.baseline_rms = std::sqrt(seen.sum_sq_diff / static_cast<double>(facts.count));
    }
  }
  return {};
}

void TrustedBaseline::assume(Known& known) const {
  for (std::size_t i = 0; i < known.regions.size() && i < expected_.size(); ++i)
    for (std::size_t r = 0; r < known.regions[i].size() && r < expected_[i].size(); ++r) {
      RegionTruth& facts = known.regions[i][r];
      if (expected_[i][r] < 0 || facts.count == 0 || facts.baseline_rms) continue;
      const auto length = static_cast<double>(std::max<std::int64_t>(site_.workload.dot_length, 1));
      facts.baseline_rms = expected_[i][r] * std::sqrt(length) *
                           std::sqrt(facts.sum_sq / static_cast<double>(facts.count));
    }
}

}  // namespace kw::referee
