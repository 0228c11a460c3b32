// How a bench of a GPU gets its truths: from the host's reference, or from the task's fast
// reference.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "referee/bench.h"

namespace kw::referee {
// Computes the truths of all benches with one process of each reference on the host, on a bit-exact
// copy of the input set that was drawn on the device.
Result<> Bench::prepare_on_host(std::span<Bench* const> benches, int set) {
  std::vector<Bench*> twins;
  for (Bench* bench : benches) {
    const Buffers* drawn = KW_TRY(bench->pool_.set(set));
    (void)KW_TRY(bench->twin_->pool_.adopt(set, *drawn));
    twins.push_back(bench->twin_.get());
  }
  KW_TRY(prepare_together(twins, set));
  for (Bench* bench : benches) {
    Bench& twin = *bench->twin_;
    Known known = std::move(twin.known_.at(set));
    twin.known_.erase(set);
    twin.pool_.drop(set);
    known.truth = KW_TRY(bench->lift(std::move(known.truth)));
    bench->native_ns_ = twin.native_ns_;
    bench->known_.emplace(set, std::move(known));
  }
  return {};
}

// Copies a truth into this device's memory.
Result<TruthMaker::Truth> Bench::lift(TruthMaker::Truth truth) {
  for (Buffers* buffers : {&truth.values, &truth.magnitudes})
    for (auto& buffer : *buffers) {
      if (!buffer) continue;
      auto here = KW_TRY(device_.allocate(
          {.name = "truth", .bytes = buffer->bytes(), .alignment = 64, .shared = false}));
      KW_TRY(carry(*here, *buffer));
      buffer = std::move(here);
    }
  return truth;
}

Result<> Bench::prepare_fast(int set) {
  const Buffers* drawn = KW_TRY(pool_.set(set));
  if (!series_) series_ = std::make_unique<TruthSeries>(trusted_.fast, workload_);
  Known known;
  known.truth = KW_TRY(series_->compute(*drawn));
  KW_TRY(learn_truth(set, known));
  fast_ns_ = known.truth.reference_ns;
  assume_baseline(known);
  known_.emplace(set, std::move(known));
  return {};
}

void Bench::assume_baseline(Known& known) const {
  for (std::size_t i = 0; i < known.regions.size() && i < expected_.size(); ++i)
    for (std::size_t r = 0; r < known.regions[i].size() && r < expected_[i].size(); ++r) {
      RegionTruth& facts = known.regions[i][r];
      if (expected_[i][r] < 0 || facts.count == 0 || facts.baseline_rms) continue;
      const auto length = static_cast<double>(std::max<std::int64_t>(workload_.dot_length, 1));
      facts.baseline_rms = expected_[i][r] * std::sqrt(length) *
                           std::sqrt(facts.sum_sq / static_cast<double>(facts.count));
    }
}

RelativeErrors Bench::relative_errors(int set) const {
  RelativeErrors errors;
  for (const auto& regions : known(set).regions) {
    errors.emplace_back();
    for (const RegionTruth& facts : regions) {
      const auto length = static_cast<double>(std::max<std::int64_t>(workload_.dot_length, 1));
      const double rms = std::sqrt(length * facts.sum_sq /
                                   static_cast<double>(std::max<std::int64_t>(facts.count, 1)));
      errors.back().push_back(is_zero_mean(facts) ? *facts.baseline_rms / rms : -1);
    }
  }
  return errors;
}

RelativeErrors Bench::worst_errors(std::span<Bench* const> benches, int set) {
  RelativeErrors worst;
  for (const Bench* bench : benches) {
    const RelativeErrors errors = bench->relative_errors(set);
    worst.resize(std::max(worst.size(), errors.size()));
    for (std::size_t i = 0; i < errors.size(); ++i) {
      worst[i].resize(std::max(worst[i].size(), errors[i].size()), -1);
      for (std::size_t r = 0; r < errors[i].size(); ++r)
        worst[i][r] = std::max(worst[i][r], errors[i][r]);
    }
  }
  return worst;
}

Result<> Bench::verify_fast(std::span<Bench* const> benches, int set) {
  std::vector<TruthMaker::Job> jobs;
  for (Bench* bench : benches) {
    KW_ASSERT(!bench->is_fast_);
    jobs.push_back({&bench->workload_, KW_TRY(bench->pool_.set(set))});
  }
  const auto truths = KW_TRY(benches.front()->trusted_.fast.compute(jobs));
  for (std::size_t i = 0; i < benches.size(); ++i)
    if (const auto apart = KW_TRY(benches[i]->difference(truths[i], benches[i]->known(set))))
      return fail_input(
          fmt::format("the fast reference of task '{}' disagrees with its reference: {}; the task "
                      "is at fault",
                      benches[i]->task_.name, *apart));
  return {};
}

}  // namespace kw::referee
