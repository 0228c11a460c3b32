// Computes the figures of a truth, and compares truths that were computed twice or in two ways.
// SPDX-License-Identifier: Apache-2.0
#include "referee/known.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "record/dtype.h"

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

}  // namespace

RelativeErrors relative_errors(const Workload& workload, const Known& known) {
  RelativeErrors errors;
  for (const auto& regions : known.regions) {
    errors.emplace_back();
    for (const RegionTruth& facts : regions) {
      const auto length = static_cast<double>(std::max<std::int64_t>(workload.dot_length, 1));
      const double rms = std::sqrt(length * facts.sum_sq /
                                   static_cast<double>(std::max<std::int64_t>(facts.count, 1)));
      errors.back().push_back(is_zero_mean(facts) ? *facts.baseline_rms / rms : -1);
    }
  }
  return errors;
}

// The figures are computed before any native code has run. `finite` holds finite values only, so
// any value that is not finite belongs to the reference's result.
Result<std::vector<RegionTruth>> region_truths(const BenchSite& site, std::size_t index,
                                               const TruthMaker::Truth& truth,
                                               device::Buffer& finite) {
  const Tensor& tensor = site.workload.tensors[index];
  // The allowance passes every finite value, because a comparison looks at each failed element once
  // more, which is slow.
  const device::Allowance any{.exact = !is_real(tensor.dtype),
                              .absolute = std::numeric_limits<double>::max()};
  std::vector<RegionTruth> facts;
  for (const Region& region : tensor.compared) {
    const auto against = [&](const device::Buffer& values) {
      return site.device.ops().compare(finite, values, nullptr, tensor, region, any, {});
    };
    const auto seen = KW_TRY(against(*truth.values[index]));
    std::int64_t unusable = seen.nonfinite_failed;
    if (!truth.magnitudes.empty())
      unusable += KW_TRY(against(*truth.magnitudes[index])).nonfinite_failed;
    if (unusable > 0)
      return fail_input(
          ErrorCode::TaskAtFault, About{"not finite"},
          fmt::format("the reference of task '{}' gives {} values that are not finite in "
                      "tensor '{}' of workload '{}'; the task is at fault",
                      site.task.name, unusable, tensor.name, site.workload.name));
    facts.push_back({.count = seen.compared,
                     .max_abs = seen.max_abs_truth,
                     .sum = seen.sum_want,
                     .sum_sq = seen.sum_sq_truth,
                     .baseline_rms = std::nullopt});
    RegionTruth& known_region = facts.back();
    if (is_half(tensor.dtype) && known_region.count > 0)
      known_region.baseline_rms = rounding_rms(tensor.dtype, known_region);
  }
  return facts;
}

Result<std::optional<std::string>> find_difference(const BenchSite& site,
                                                   const TruthMaker::Truth& other,
                                                   const Known& known) {
  const Workload& workload = site.workload;
  const double length = static_cast<double>(std::max<std::int64_t>(workload.dot_length, 1));
  const bool has_magnitude = !known.truth.magnitudes.empty();
  for (std::size_t i = 0; i < workload.tensors.size(); ++i) {
    const Tensor wide = widened(workload.tensors[i]);
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
        const auto seen = KW_TRY(site.device.ops().compare(
            *theirs[i], *ours[i], has_magnitude ? known.truth.magnitudes[i].get() : nullptr, wide,
            wide.compared[r], allowed, {}));
        if (seen.failed > 0)
          return fmt::format(
              "{} of {} elements of {} '{}' at workload '{}' differ by more than float64 "
              "rounding, the first at [{}], at most by {:.3g}",
              seen.failed, seen.compared, of_magnitudes ? "the magnitudes of" : "tensor", wide.name,
              workload.name, fmt::join(seen.first.front().at, ", "), seen.max_abs_diff);
      }
    }
  }
  return std::nullopt;
}

}  // namespace kw::referee
