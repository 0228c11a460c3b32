// Puts the parts of a bench together, and says how much memory it needs.
// SPDX-License-Identifier: Apache-2.0
#include "referee/bench.h"

#include <algorithm>

#include "referee/truth.h"

namespace kw::referee {

std::unique_ptr<Bench> Bench::twin_of(const BenchSite& site) {
  if (site.trusted.maker.device == &site.device || site.is_fast) return nullptr;
  Trusted trusted = site.trusted;
  trusted.fast = {};
  return std::make_unique<Bench>(*trusted.maker.device, site.task, site.workload, site.seed,
                                 trusted);
}

Bench::Bench(device::Device& device, const Task& task, const Workload& workload, Seed seed,
             const Trusted& trusted)
    : site_(device, task, workload, seed, trusted),
      twin_(twin_of(site_)),
      slots(site_),
      baseline(site_, slots),
      fast(site_),
      truths(site_, slots, baseline, fast, twin_ ? &twin_->truths : nullptr) {}

std::unique_ptr<Bench> Bench::sibling(const Workload& workload, Seed seed) const {
  auto other = std::make_unique<Bench>(site_.device, site_.task, workload, seed, site_.trusted);
  other->baseline.expect(baseline.expected());
  other->fast.trust_like(fast);
  other->truths.believe_like(truths);
  return other;
}

std::int64_t Bench::bytes_per_set() const {
  std::int64_t bytes = 0;
  for (const Tensor& tensor : workload().tensors) {
    if (is_drawn(tensor)) bytes += tensor.bytes();
    if (!tensor.compared.empty())
      bytes += widened(tensor).bytes() * (task().gate.kind == GateKind::Dot ? 2 : 1);
  }
  return bytes;
}

std::int64_t Bench::bytes_to_begin() const {
  std::int64_t wide = 0;
  for (const Tensor& tensor : workload().tensors) wide += widened(tensor).bytes();
  const bool is_truth_here = !twin_ && !is_fast();
  return 2 * workload().bytes() + 3 * bytes_per_set() + wide +
         (is_truth_here ? bytes_in_player(task(), workload()) : 0);
}

bool Bench::fits() const {
  if (truths.is_prepared(kWarmSet)) return true;
  return bytes_to_begin() <= site_.device.free_bytes() && (!twin_ || twin_->fits());
}

bool Bench::could_fit() const {
  // A 32nd of the memory counts as taken: drivers, contexts and the device's margin take some 2 GiB
  // of 80.
  const std::int64_t memory = site_.device.facts().memory_bytes;
  return memory <= 0 || bytes_to_begin() <= memory - memory / 32;
}

std::vector<KnownTruths*> truths_of(std::span<Bench* const> benches) {
  std::vector<KnownTruths*> truths;
  for (Bench* bench : benches) truths.push_back(&bench->truths);
  return truths;
}

RelativeErrors worst_errors(std::span<Bench* const> benches, int set) {
  RelativeErrors worst;
  for (const Bench* bench : benches) {
    const RelativeErrors errors = relative_errors(bench->workload(), bench->truths.known(set));
    worst.resize(std::max(worst.size(), errors.size()));
    for (std::size_t i = 0; i < errors.size(); ++i) {
      worst[i].resize(std::max(worst[i].size(), errors[i].size()), -1);
      for (std::size_t r = 0; r < errors[i].size(); ++r)
        worst[i][r] = std::max(worst[i][r], errors[i][r]);
    }
  }
  return worst;
}

}  // namespace kw::referee
