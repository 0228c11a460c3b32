// Computes truths with the task's fast reference, once it has agreed with the task's reference.
// SPDX-License-Identifier: Apache-2.0
#include "referee/fast_reference.h"

#include <fmt/format.h>

namespace kw::referee {
namespace {

// Bytes of the fast reference's buffers that may stay allocated between two evaluations.
constexpr std::int64_t kKeptBytes = std::int64_t{1} << 30;

}  // namespace

Result<> hold_fast_to(const BenchSite& site, const TruthMaker::Truth& fast, const Known& known) {
  if (const auto apart = KW_TRY(find_difference(site, fast, known)))
    return fail_input(
        ErrorCode::TaskAtFault, About{"reference_fast"},
        fmt::format("the fast reference of task '{}' disagrees with its reference: {}; the task "
                    "is at fault",
                    site.task.name, *apart));
  return {};
}

Result<> FastReference::prove(const Known& warm) {
  auto truth = KW_TRY(compute(kWarmSet));
  KW_TRY(hold_fast_to(site_, truth, warm));
  is_compared_ = true;
  spare_.push_back(std::move(truth));
  return {};
}

Result<TruthMaker::Truth> FastReference::compute(int set, TruthMaker::Truth recycled) {
  if (!series_) series_ = std::make_unique<TruthSeries>(site_.trusted.fast, site_.workload);
  return series_->compute(*KW_TRY(site_.pool.set(set)), std::move(recycled));
}

TruthMaker::Truth FastReference::take_spare() {
  TruthMaker::Truth spare;
  if (spare_.empty()) return spare;
  spare = std::move(spare_.back());
  spare_.pop_back();
  return spare;
}

void FastReference::rest() {
  series_.reset();
  spare_.clear();
  site_.pool.trim();
}

void FastReference::rest_if_large() {
  std::int64_t bytes = 0;
  for (const Tensor& tensor : site_.workload.tensors) bytes += widened(tensor).bytes();
  if (bytes > kKeptBytes) rest();
}

}  // namespace kw::referee
