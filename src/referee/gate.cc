// The first gate, per element or per region, and the second gate, which holds the RMS error against
// the trusted baseline's.
// SPDX-License-Identifier: Apache-2.0
#include "referee/gate.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/defence.h"
#include "record/dtype.h"

namespace kw::referee {
namespace {

// Fewest elements for which the ratio of two RMS errors is steady enough to judge by.
constexpr std::int64_t kFewestForRms = 256;
constexpr double kZeroMean = 0.1;    // |mean| / RMS; random signs give 1 / sqrt(count)
constexpr double kWorstShown = 1e9;  // keeps ratios finite in JSON

double ratio(double part, double whole) {
  if (part == 0) return 0;
  return whole > 0 ? std::min(part / whole, kWorstShown) : kWorstShown;
}

}  // namespace

device::Allowance allowance_of(const Gate& gate, const Tensor& tensor, const Workload& workload,
                               double max_abs_truth) {
  device::Allowance allowed;
  const double u = unit_roundoff(tensor.dtype);
  // Below 2^-14 the distance between numbers of f16 no longer shrinks: no rounding can be better
  // than this.
  const double coarsest = tensor.dtype == Dtype::F16 ? 0x1p-25 : 0;
  const double u_sum = is_half(tensor.dtype) ? unit_roundoff(Dtype::F32) : u;
  if (!is_real(tensor.dtype) || gate.kind == GateKind::Exact) {
    allowed.exact = true;
  } else if (gate.kind == GateKind::Relative) {
    allowed.relative = gate.c * u;
    allowed.absolute = gate.c * u * gate.scale + coarsest;
  } else if (gate.kind == GateKind::Dot) {
    allowed.magnitude =
        gate.c * std::sqrt(static_cast<double>(std::max<std::int64_t>(workload.dot_length, 1))) *
        u_sum;
    allowed.relative = u;
    allowed.absolute = allowed.magnitude * gate.scale + coarsest;
  } else {
    allowed.absolute = gate.max * max_abs_truth;
  }
  if (is_real(tensor.dtype)) {
    allowed.exact_below = workload.exact_below;
    allowed.exact_within = workload.exact_within * grid_unit(tensor.dtype);
  }
  return allowed;
}

device::Allowance allowance_of(const Gate& gate, const Tensor& tensor, const Workload& workload,
                               const RegionTruth& truth) {
  constexpr double kHalf = 0.5;
  constexpr double kEverywhere = 1e300;
  device::Allowance allowed = allowance_of(gate, tensor, workload, truth.max_abs);
  if (truth.is_whole && allowed.exact_below < 0) {
    allowed.exact_below = kEverywhere;
    allowed.exact_within = kHalf;
  }
  return allowed;
}

bool has_whole_inputs(const Workload& workload) {
  bool has_any = false;
  for (const Tensor& tensor : workload.tensors) {
    if (!is_real(tensor.dtype) || tensor.role == TensorRole::Out) continue;
    if (tensor.values.kind != "integers") return false;
    has_any = true;
  }
  return has_any;
}

bool is_zero_mean(const RegionTruth& truth) {
  if (!truth.baseline_rms || truth.count < kFewestForRms || truth.sum_sq <= 0) return false;
  const double count = static_cast<double>(truth.count);
  return std::abs(truth.sum) / count <= kZeroMean * std::sqrt(truth.sum_sq / count);
}

double rounding_rms(Dtype dtype, const RegionTruth& truth) {
  return 0.5 * unit_roundoff(dtype) * std::sqrt(truth.sum_sq / static_cast<double>(truth.count));
}

double allowed_rms(const Gate& gate, const Tensor& tensor, const RegionTruth& truth) {
  double least = rounding_rms(tensor.dtype, truth);
  if (gate.kind == GateKind::Relative)
    least += 0.5 * gate.scale * unit_roundoff(is_half(tensor.dtype) ? Dtype::F32 : tensor.dtype);
  return gate.rms_factor * std::max(truth.baseline_rms.value_or(0), least);
}

std::optional<Evidence> judge_region(const Gate& gate, const Tensor& tensor,
                                     const RegionTruth& truth, const device::Comparison& seen,
                                     bool whole, Accuracy& accuracy) {
  std::optional<Evidence> failure;
  const auto fail_with = [&](EvidenceKind kind, std::vector<double> numbers) {
    if (!failure) failure = Evidence{.kind = kind, .numbers = std::move(numbers)};
  };
  double fraction = std::isfinite(seen.worst_fraction) ? seen.worst_fraction : kWorstShown;
  if (seen.failed > 0) {
    std::vector<double> counts{static_cast<double>(seen.failed),
                               static_cast<double>(seen.compared)};
    if (seen.nonfinite_failed > 0) counts.push_back(static_cast<double>(seen.nonfinite_failed));
    fail_with(EvidenceKind::ElementsWrong, std::move(counts));
  }
  const bool real = is_real(tensor.dtype);
  if (real && gate.kind == GateKind::Field) {
    // A reduced check sums over a part of the elements, which makes the difference only smaller, so
    // an answer that fails here would also fail a full check.
    const double l2 = ratio(std::sqrt(seen.sum_sq_diff), std::sqrt(truth.sum_sq));
    fraction = std::max(fraction, ratio(l2, gate.l2));
    if (!(l2 <= gate.l2)) fail_with(EvidenceKind::L2TooLarge, {l2, gate.l2});
  }
  if (is_on(Defence::SecondGate) && real && whole && gate.kind != GateKind::Exact &&
      gate.rms_factor > 0 && is_zero_mean(truth) && seen.compared > 0) {
    const double rms = std::sqrt(seen.sum_sq_diff / static_cast<double>(seen.compared));
    const double allowed = allowed_rms(gate, tensor, truth);
    const double against = ratio(rms * gate.rms_factor, allowed);
    accuracy.rms_ratio = std::max(accuracy.rms_ratio, against);
    if (!(rms <= allowed)) fail_with(EvidenceKind::RmsTooLarge, {rms, against, gate.rms_factor});
  }
  accuracy.gate_fraction = std::max(accuracy.gate_fraction, std::min(fraction, kWorstShown));
  accuracy.max_abs_diff = std::max(accuracy.max_abs_diff, seen.max_abs_diff);
  accuracy.checksum_diff = std::max(accuracy.checksum_diff, std::abs(seen.sum_got - seen.sum_want));
  accuracy.rel_l2 =
      std::max(accuracy.rel_l2, ratio(std::sqrt(seen.sum_sq_diff), std::sqrt(seen.sum_sq_truth)));
  return failure;
}

}  // namespace kw::referee
