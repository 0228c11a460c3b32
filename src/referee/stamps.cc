// Counts how often the stamps and the events of a GPU's calls disagree.
// SPDX-License-Identifier: Apache-2.0
#include "referee/stamps.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kw::referee {
namespace {

// By how much stamps and events of an honest call may differ: this share of the sample or kLeastNs,
// whichever is larger. Our choice.
constexpr double kTolerance = 0.02;
constexpr double kLeastNs = 1000;
constexpr double kForgedFactor = 2;
// Differences below this are not called forged: with a launch of a few µs they may have other
// causes.
constexpr double kForgedLeastNs = 5000;
constexpr int kForged = 6;
constexpr int kVoid = 8;

}  // namespace

void StampWatch::set_offset(double offset_ns, double tick_ns) {
  offset_ns_ = offset_ns;
  tick_ns_ = tick_ns;
}

bool StampWatch::agree(double stamped_ns, double event_ns) {
  ++calls_;
  if (stamped_ns <= 0) {
    ++void_;
    return false;
  }
  const double apart = std::abs(stamped_ns - offset_ns_ - event_ns);
  if (apart <= std::max({kTolerance * stamped_ns, kLeastNs, 2 * tick_ns_})) return true;
  ++void_;
  const double least = std::max(std::min(stamped_ns, event_ns), 1.0);
  forged_ += apart > kForgedLeastNs && std::max(stamped_ns, event_ns) > kForgedFactor * least;
  last_stamped_ns_ = stamped_ns;
  last_event_ns_ = event_ns;
  return false;
}

std::optional<Verdict> StampWatch::verdict(const std::string& workload,
                                           const std::string& whose) const {
  Evidence seen{.kind = EvidenceKind::StampsDisagree,
                .workload = workload,
                .subject = whose,
                .numbers = {static_cast<double>(void_), static_cast<double>(calls_)}};
  if (last_stamped_ns_ > 0) {
    seen.numbers.push_back(last_stamped_ns_);
    seen.numbers.push_back(std::max(last_event_ns_, 0.0));
  }
  if (forged_ >= kForged && 2 * forged_ > calls_) {
    seen.kind = EvidenceKind::StampForged;
    return make_verdict(Stage::Measure, Outcome::Cheated, std::move(seen));
  }
  if (void_ >= kVoid && 2 * void_ > calls_)
    return make_verdict(Stage::Measure, Outcome::Unmeasurable, std::move(seen));
  return std::nullopt;
}

}  // namespace kw::referee
