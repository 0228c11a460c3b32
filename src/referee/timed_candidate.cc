// Times the candidate's samples and checks every call.
// SPDX-License-Identifier: Apache-2.0
#include "referee/timed_candidate.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/defence.h"
#include "referee/fate.h"
#include "referee/values.h"

namespace kw::referee {
namespace {

// Most calls per workload that are watched after their return, and most that are checked in full.
constexpr int kMostExtras = 6;
constexpr double kCheckedPerNs = 0.5;     // half of the elements that two cores compare in 1 ns
constexpr double kGpuCheckedPerNs = 100;  // a third of those that 4 TB/s compare, at 12 bytes each
constexpr std::uint64_t kOneIn = 6;       // one later call in six is watched, or checked in full

std::int64_t compared_elements(const Workload& workload) {
  std::int64_t count = 0;
  for (const Tensor& tensor : workload.tensors)
    for (const Region& region : tensor.compared) count += elements_of(region);
  return count;
}

}  // namespace

Ended TimedCandidate::time(TimedWorkload& at, const std::vector<int>& sets, SampleTime& ns) {
  Bench& bench = *at.bench;
  Suspicion suspicion;
  const TimedCall timed =
      KW_TRY(at.candidate->time(sets, [&](int set) { return look_after(at, set, suspicion); }));
  if (timed.verdict && timed.may_be_input_write)
    return at_measure(KW_TRY(refine_crash(bench, site_.candidate, site_.request.jail, sets.front(),
                                          call_timeout(site_.options, bench), *timed.verdict)));
  if (timed.verdict) return at_measure(*timed.verdict);
  if (timed.afterwards) return timed.afterwards;
  ns = timed.is_void ? SampleTime() : SampleTime(timed.ns);
  if (!timed.is_void && timed.ns <= 0)
    return make_verdict(Stage::Measure, Outcome::Unmeasurable,
                        {.kind = EvidenceKind::NoTime, .workload = bench.workload().name});
  if (auto verdict = KW_TRY(clocks_part(at))) return verdict;
  return resolve(at, suspicion);
}

// Whether this call is watched and whether it is checked in full is decided only now, after the
// call has returned.
Ended TimedCandidate::look_after(TimedWorkload& at, int set, Suspicion& suspicion) {
  const auto chosen = [&](int& so_far) {
    const bool now = so_far == 0 || (so_far < kMostExtras && site_.rng.below(kOneIn) == 0);
    so_far += now;
    return now;
  };
  // Device code leaves nothing running: the time stamp that ends a call comes after all its work.
  if (may_linger(site_.request.candidate) && chosen(at.watched)) {
    const AfterCheck after = KW_TRY(watch(at));
    if (after.verdict) return after.verdict;
    suspicion.tell(after.late.has_value());
  }
  return check(at, set, chosen(at.fully_checked));
}

Ended TimedCandidate::check(TimedWorkload& at, int set, bool is_full) {
  if (!is_on(Defence::EveryCallChecked)) return std::nullopt;
  WorkloadResult& result = *at.result;
  const auto lap = site_.account.lap("check");
  const Depth depth{.seed = site_.rng(), .share = is_full ? 1.0 : result.checked_share};
  Checked checked = KW_TRY(check_call(*at.bench, *at.leg, 0, set, depth, Stage::Measure));
  if (checked.verdict) {
    site_.findings = std::move(checked.findings);
    return checked.verdict;
  }
  if (!is_full && result.checked_share < 1) {
    double& miss = result.miss_probability;
    miss = (miss == 0 ? 1 : miss) * (1 - result.checked_share);
  }
  return std::nullopt;
}

// A reduced check may cost about what the call cost, and always looks at a fixed minimum of
// elements.
double TimedCandidate::share_to_check(const TimedWorkload& at) const {
  const double asked = site_.request.measure.checked_share;
  if (asked > 0) return std::min(1.0, asked);
  const double per_ns = at.bench->runs_plans() ? kGpuCheckedPerNs : kCheckedPerNs;
  const double elements =
      std::max(static_cast<double>(site_.options.checked_elements), per_ns * at.call_ns);
  return std::min(1.0, elements / static_cast<double>(std::max<std::int64_t>(
                                      compared_elements(at.bench->workload()), 1)));
}

Result<AfterCheck> TimedCandidate::watch(TimedWorkload& at) {
  return check_after_return(*at.bench, 0, at.leg->player(),
                            watch_for(site_.request, site_.options, site_.facts), Stage::Measure);
}

Ended TimedCandidate::resolve(TimedWorkload& at, Suspicion suspicion) {
  while (suspicion.is_open()) {
    if (auto verdict = KW_TRY(lives_.sit_down(at))) return at_measure(*verdict);
    const TimedCall timed = KW_TRY(at.candidate->time(KW_TRY(sets_.draw(at, *at.candidate))));
    if (timed.verdict) return at_measure(*timed.verdict);
    const AfterCheck after = KW_TRY(watch(at));
    if (after.verdict) return after.verdict;
    suspicion.tell(after.late.has_value());
    if (suspicion.is_proven()) return make_verdict(Stage::Measure, Outcome::Cheated, *after.late);
  }
  return std::nullopt;
}

// If the clocks disagree about the opponent's calls too, the machine is the cause, so this never
// accuses the candidate. Only an opponent that is a candidate itself may have caused the
// disagreement.
Ended TimedCandidate::clocks_part(const TimedWorkload& at) {
  const std::string& where = at.bench->workload().name;
  const bool is_trusted_opponent = is_trusted(site_.request.opponent.origin);
  if (!at.bench->runs_plans()) {
    const Lateness& own = at.candidate->lateness();
    auto late = judge_lateness(own, at.opponent ? &at.opponent->lateness() : nullptr, where);
    if (late && !own.is_often() && !is_trusted_opponent) return opponent_.fails(late->seen);
    return late;
  }
  if (auto verdict = at.candidate->stamps().verdict(where)) return verdict;
  if (!at.opponent) return std::nullopt;
  auto verdict = at.opponent->stamps().verdict(where, "the opponent");
  if (!verdict) return std::nullopt;
  if (!is_trusted_opponent) return opponent_.fails(verdict->seen);
  verdict->outcome = Outcome::Unmeasurable;
  return verdict;
}

}  // namespace kw::referee
