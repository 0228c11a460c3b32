// Decides whether a reference can be believed: truths computed twice, or in two ways, must be
// equal.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "referee/bench.h"

namespace kw::referee {
namespace {

// Two float64 computations of the same result differ by their roundings alone. The limits are
// relative to the element and, for elements that cancel to nearly nothing, to the largest element
// of the region.
constexpr double kEqualRelative = 1e-9;
constexpr double kEqualOfLargest = 1e-12;
// Two float64 sums of products may also differ by this factor times dot length × roundoff, the
// bound of such a sum's error.
constexpr double kEqualSlack = 4;

// Number of calls after which a reference that runs in one process is believed: what it keeps from
// call to call may show late. The calls end earlier once they took kLongReferenceNs, because
// otherwise every wrong answer of a candidate would cost too much time.
constexpr int kAskedAgain = 8;
constexpr double kLongReferenceNs = 2e9;

}  // namespace

Result<std::optional<std::string>> Bench::difference(const TruthMaker::Truth& other,
                                                     const Known& known) {
  const double length = static_cast<double>(std::max<std::int64_t>(workload_.dot_length, 1));
  const bool has_magnitude = !known.truth.magnitudes.empty();
  for (std::size_t i = 0; i < workload_.tensors.size(); ++i) {
    const Tensor wide = widened(workload_.tensors[i]);
    for (std::size_t r = 0; r < wide.compared.size(); ++r) {
      const device::Allowance allowed{
          .exact = !is_real(wide.dtype),
          .absolute = kEqualOfLargest * known.regions[i][r].max_abs,
          .relative = kEqualRelative,
          .magnitude = has_magnitude ? kEqualSlack * length * unit_roundoff(Dtype::F64) : 0};
      for (const bool of_magnitudes : {false, true}) {
        if (of_magnitudes && !has_magnitude) continue;
        const Buffers& ours = of_magnitudes ? known.truth.magnitudes : known.truth.values;
        const Buffers& theirs = of_magnitudes ? other.magnitudes : other.values;
        const auto seen = KW_TRY(device_.ops().compare(
            *theirs[i], *ours[i], has_magnitude ? known.truth.magnitudes[i].get() : nullptr, wide,
            wide.compared[r], allowed, {}));
        if (seen.failed > 0)
          return fmt::format(
              "{} of {} elements of {} '{}' at workload '{}' differ by more than float64 "
              "rounding, the first at [{}], at most by {:.3g}",
              seen.failed, seen.compared, of_magnitudes ? "the magnitudes of" : "tensor", wide.name,
              workload_.name, fmt::join(seen.first.front().at, ", "), seen.max_abs_diff);
      }
    }
  }
  return std::nullopt;
}

Result<std::optional<std::string>> Bench::doubt(int set) {
  if (is_believed_) return std::nullopt;
  const Known& first = known(set);
  const Buffers* inputs = KW_TRY(pool_.set(set));
  if (twin_) inputs = KW_TRY(twin_->pool_.adopt(set, *inputs));
  TruthMaker maker = is_fast_ ? trusted_.fast : trusted_.maker;
  maker.poison = seed_.child("doubt");
  TruthSeries series(maker, workload_);
  // The first call can give another truth because of what its outputs held before; a later call can
  // do so only because of what earlier calls left behind.
  std::vector<std::optional<std::string>> apart;
  double spent_ns = 0;
  do {
    auto truth = KW_TRY(series.compute(*inputs));
    spent_ns += truth.reference_ns;
    if (twin_) truth = KW_TRY(lift(std::move(truth)));
    apart.push_back(KW_TRY(difference(truth, first)));
  } while (apart.size() < kAskedAgain && spent_ns < kLongReferenceNs);
  if (twin_) twin_->pool_.drop(set);
  const auto seen =
      std::ranges::find_if(apart, [](const auto& words) { return words.has_value(); });
  is_believed_ = seen == apart.end();
  if (is_believed_) return std::nullopt;
  const bool is_steady = std::ranges::count(apart, apart.front()) == std::ssize(apart);
  return fmt::format(
      "the reference of task '{}' gives different answers for equal inputs: {}; it {}; the task is "
      "at fault",
      task_.name, **seen,
      is_steady ? "leaves elements of an output unwritten, or reads an output before it writes it"
                : "keeps something from call to call (static or global variables), or is random");
}

}  // namespace kw::referee
