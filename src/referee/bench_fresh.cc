// Input sets that are drawn for one pair of timed calls on a GPU: their truths are computed just in
// time and then dropped.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "referee/bench.h"

namespace kw::referee {
namespace {

// A fast reference whose call takes less than this costs less than a new process, which takes 150
// ms, plus loading, binding and a warm-up call.
constexpr double kQuickFastNs = 250e6;
// Limit for the time of reference plus trusted baseline on the host, each of which starts a
// process.
constexpr double kQuickHostNs = 20e6;
// Bytes of the fast reference's buffers that may stay allocated between two evaluations.
constexpr std::int64_t kKeptBytes = std::int64_t{1} << 30;

}  // namespace

bool Bench::has_trusted_fast() const {
  return is_fast_ || (is_fast_trusted_ && trusted_.fast.check().has_value());
}

bool Bench::answers_quickly() const {
  if (has_trusted_fast()) return fast_ns_ <= kQuickFastNs;
  return known(kWarmSet).truth.reference_ns + native_ns_ <= kQuickHostNs;
}

Result<> Bench::answer(int set) {
  if (is_prepared(set)) return {};
  return has_trusted_fast() ? answer_fast(set) : prepare(set);
}

Result<> Bench::answer_fast(int set) {
  if (!series_) series_ = std::make_unique<TruthSeries>(trusted_.fast, workload_);
  if (!is_fast_ && !is_fast_compared_) {
    const Known& proven = known(kWarmSet);
    auto truth = KW_TRY(series_->compute(*KW_TRY(pool_.set(kWarmSet))));
    if (const auto apart = KW_TRY(difference(truth, proven)))
      return fail_input(fmt::format(
          "the fast reference of task '{}' disagrees with its reference: {}; the task is at fault",
          task_.name, *apart));
    expected_ = relative_errors(kWarmSet);
    is_fast_compared_ = true;
    spare_truths_.push_back(std::move(truth));
  }
  TruthMaker::Truth spare;
  if (!spare_truths_.empty()) {
    spare = std::move(spare_truths_.back());
    spare_truths_.pop_back();
  }
  Known fresh;
  fresh.truth = KW_TRY(series_->compute(*KW_TRY(pool_.set(set)), std::move(spare)));
  fast_ns_ = fresh.truth.reference_ns;
  for (std::size_t i = 0; i < workload_.tensors.size(); ++i) {
    fresh.regions.emplace_back();
    if (workload_.tensors[i].compared.empty()) continue;
    device::Buffer& finite = *KW_TRY(scratch(i));
    KW_TRY(device_.ops().poison(finite, seed_.child("facts").child(i).low));
    fresh.regions.back() = KW_TRY(facts_of(i, fresh, finite));
  }
  assume_baseline(fresh);
  known_.emplace(set, std::move(fresh));
  return {};
}

void Bench::drop(int set) {
  pool_.recycle(set);
  auto node = known_.extract(set);
  if (node.empty()) return;
  if (has_trusted_fast()) spare_truths_.push_back(std::move(node.mapped().truth));
}

void Bench::rest() {
  series_.reset();
  spare_truths_.clear();
  pool_.trim();
}

void Bench::rest_if_large() {
  std::int64_t bytes = 0;
  for (const Tensor& tensor : workload_.tensors) bytes += widened(tensor).bytes();
  if (bytes > kKeptBytes) rest();
}

}  // namespace kw::referee
