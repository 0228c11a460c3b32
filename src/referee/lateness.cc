// Compares how often samples of the candidate and samples of its opponent are late.
// SPDX-License-Identifier: Apache-2.0
#include "referee/lateness.h"

#include <algorithm>
#include <utility>

namespace kw::referee {
namespace {

constexpr double kShareOfCalls = 0.01;
// Processor time per call outside of the calls that is not held against a program: a thread is
// charged as much for falling asleep a little late. Calls that are measured one by one last ten
// times as long.
constexpr double kLeastOutsideNs = 10e3;
constexpr int kLeastLate = 8;
constexpr double kMostShare = 1.0 / 3;
// By this factor a candidate must be late more often than its opponent to be called a cheat: both
// are stopped alike, so an honest candidate is late as often. Where every third sample is late,
// eight late samples of at most twenty-four, beside an opponent with a quarter of that share, come
// by chance in one of some thousands; on a quiet host hardly one sample in a hundred is late.
constexpr double kFarOftener = 4;
constexpr int kLeastOfOpponent = 8;

}  // namespace

bool Lateness::tell(double outside_ns, double elapsed_ns, int calls) {
  ++samples_;
  if (outside_ns <= std::max(kLeastOutsideNs * calls, kShareOfCalls * elapsed_ns)) return false;
  ++late_;
  most_ns_ = std::max(most_ns_, outside_ns);
  return true;
}

bool Lateness::is_often() const { return late_ >= kLeastLate && share() > kMostShare; }

std::optional<Verdict> judge_lateness(const Lateness& candidate, const Lateness* opponent,
                                      const std::string& workload) {
  const bool is_alone = opponent == nullptr;
  if (!is_alone && opponent->samples() < kLeastOfOpponent) return std::nullopt;
  const bool is_candidate = candidate.is_often();
  if (!is_candidate && (is_alone || !opponent->is_often())) return std::nullopt;
  const bool is_far =
      is_candidate && !is_alone && kFarOftener * opponent->share() < candidate.share();
  Evidence seen{.kind = is_alone ? EvidenceKind::WorkOutsideAlone : EvidenceKind::WorkOutside,
                .workload = workload,
                .numbers = {static_cast<double>(candidate.late()),
                            static_cast<double>(candidate.samples()), candidate.most_ns()}};
  if (!is_alone)
    for (const int count : {opponent->late(), opponent->samples()})
      seen.numbers.push_back(static_cast<double>(count));
  return make_verdict(Stage::Measure, is_far ? Outcome::Cheated : Outcome::Unmeasurable,
                      std::move(seen));
}

}  // namespace kw::referee
