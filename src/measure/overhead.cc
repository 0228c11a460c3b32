// Subtraction of the empty call and the rule for short kernels.
// SPDX-License-Identifier: Apache-2.0
#include "measure/overhead.h"

#include <algorithm>
#include <cmath>

#include "base/result.h"

namespace kw::measure {
namespace {

std::optional<Estimate> estimate_at(std::span<const PairedSample> raw, double empty_ns,
                                    double alpha) {
  std::vector<PairedSample> net;
  net.reserve(raw.size());
  for (const PairedSample& pair : raw) {
    const auto left = subtract(pair, empty_ns);
    if (!left) return std::nullopt;
    net.push_back(*left);
  }
  return estimate_speedup(net, alpha);
}

}  // namespace

Footing footing(double raw_ns, const EmptyCall& empty) {
  constexpr double kShortNs = 10e3;    // design §7
  constexpr double kWorstShare = 0.1;  // of the net time that may be doubt about the empty call
  if (raw_ns >= kShortNs) return Footing::Raw;
  const double net_ns = raw_ns - empty.interval.high;
  const double doubt_ns = empty.interval.high - empty.interval.low;
  return net_ns > 0 && doubt_ns <= kWorstShare * net_ns ? Footing::Net : Footing::Unmeasurable;
}

std::optional<PairedSample> subtract(const PairedSample& raw, double empty_ns) {
  const PairedSample net{raw.candidate_ns - empty_ns, raw.opponent_ns - empty_ns};
  if (net.candidate_ns <= 0 || net.opponent_ns <= 0) return std::nullopt;
  return net;
}

std::optional<Estimate> estimate_net_speedup(std::span<const PairedSample> raw,
                                             const EmptyCall& empty, double alpha) {
  KW_ASSERT(std::isfinite(empty.interval.low) && std::isfinite(empty.interval.high));
  auto middle = estimate_at(raw, empty.median_ns, alpha);
  const auto least = estimate_at(raw, empty.interval.low, alpha);
  const auto most = estimate_at(raw, empty.interval.high, alpha);
  if (!middle || !least || !most) return std::nullopt;
  middle->low = std::min({middle->low, least->low, most->low});
  middle->high = std::max({middle->high, least->high, most->high});
  return middle;
}

}  // namespace kw::measure
