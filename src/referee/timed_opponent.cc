// Times an opponent, and says what its failure means for the candidate.
// SPDX-License-Identifier: Apache-2.0
#include "referee/timed_opponent.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/defence.h"
#include "measure/statistics.h"
#include "referee/check.h"

namespace kw::referee {
namespace {

constexpr double kSampleMargin = 1.2;  // batches aim this much above the shortest sample

}  // namespace

double calls_needed(double call_ns, const Options& options) {
  return std::ceil(kSampleMargin * options.short_sample_ns / std::max(call_ns, 1.0));
}

void shorten_opponent(TimedWorkload& at, const Options& options) {
  constexpr double kLeastRatio = 2;
  std::vector<double> own, other;
  for (const Sample& s : at.result->samples) {
    own.push_back(s.candidate_ns);
    other.push_back(s.opponent_ns);
  }
  const double ratio = measure::median(other) / measure::median(own);
  if (!at.opponent || !(ratio >= kLeastRatio)) return;
  const double calls =
      std::max(std::ceil(at.calls / ratio), calls_needed(measure::median(other), options));
  if (calls >= at.calls) return;
  at.opponent->shorten(static_cast<int>(calls));
  at.result->opponent_calls_per_sample = at.opponent->calls();
}

// The opponent was judged before: its outputs get one full check here, and afterwards only the
// checks that make its samples like the candidate's (time()).
Result<double> TimedOpponent::seat(TimedWorkload& at) {
  Bench& bench = *at.bench;
  const auto lap = site_.account.lap("opponent");
  const bool is_known = bench.slots.opponent &&
                        bench.slots.opponent->program().identity() == site_.opponent->identity();
  if (!is_known) {
    bench.slots.opponent =
        bench.slots.make_leg("opponent", site_.request.jail, true, *site_.opponent, !at.is_last);
    bench.noise_floor.reset();
  }
  at.opponent = std::make_unique<Seat>(bench, *bench.slots.opponent, at.calls, at.sets, true,
                                       site_.options.reference_timeout_ns,
                                       site_.seed.child("opponent"), site_.account);
  if (const auto verdict = KW_TRY(at.opponent->ready())) return fails(verdict->seen);
  const TimedCall seen = KW_TRY(at.opponent->estimate());
  if (seen.verdict) return fails(seen.verdict->seen);
  if (!is_known) {
    const Checked checked =
        KW_TRY(check_call(bench, *bench.slots.opponent, 0, kWarmSet, {}, Stage::Measure));
    if (checked.verdict)
      return fails({.kind = EvidenceKind::OpponentWrong, .cause = {checked.verdict->seen}});
  }
  if (site_.is_poison_spared(at)) at.opponent->spare_poison();
  return seen.ns;
}

std::unexpected<Error> TimedOpponent::fails(const Evidence& seen) {
  fault_ = Evidence{.kind = EvidenceKind::OpponentFailed,
                    .subject = site_.request.opponent.name,
                    .cause = {seen}};
  return fail(ErrorCode::TaskAtFault, About{site_.request.opponent.name}, words_of(*fault_));
}

std::string TimedOpponent::fault() const { return fault_ ? words_of(*fault_) : std::string(); }

Result<SampleTime> TimedOpponent::time(Seat& seat, const std::vector<int>& sets,
                                       const AfterCall& after) {
  const TimedCall timed = KW_TRY(seat.time(sets, after));
  if (timed.verdict) return fails(timed.verdict->seen);
  if (timed.afterwards) return fails(timed.afterwards->seen);
  return timed.is_void ? SampleTime() : SampleTime(timed.ns);
}

// The longer a process rests before a call, the longer its threads take to wake, so the opponent is
// checked between the calls of a sample exactly as the candidate is.
Result<SampleTime> TimedOpponent::time(TimedWorkload& at, const std::vector<int>& sets) {
  Bench& bench = *at.bench;
  const bool is_checked = at.calls > 1 && is_on(Defence::EveryCallChecked);
  if (!is_checked) return time(*at.opponent, sets);
  return time(*at.opponent, sets, [&](int set) -> Ended {
    const auto lap = site_.account.lap("check");
    const Depth depth{.seed = site_.rng(), .share = at.result->checked_share};
    return KW_TRY(check_call(bench, *bench.slots.opponent, 0, set, depth, Stage::Measure)).verdict;
  });
}

Result<bool> TimedOpponent::serves_alone(TimedWorkload& at) {
  Bench& bench = *at.bench;
  KW_TRY(bench.slots.repair());
  KW_TRY(bench.slots.renew_memory());
  const auto leg =
      bench.slots.make_leg("opponent", site_.request.jail, true, *site_.opponent, false);
  Seat seat(bench, *leg, 1, at.sets, true, site_.options.reference_timeout_ns,
            site_.seed.child("opponent alone"), site_.account);
  if (KW_TRY(seat.ready())) return false;
  if (KW_TRY(seat.time(KW_TRY(sets_.draw(at, seat)))).verdict) return false;
  return !KW_TRY(check_call(bench, *leg, 0, bench.slots[0].set, {}, Stage::Measure)).verdict;
}

// A candidate that has become the incumbent can fail on purpose, and so decide who may be judged
// beside it; a candidate that harms other processes can make a baseline fail. Neither may stop a
// run: without a sound opponent there is no figure, and the caller may name another opponent.
Ended TimedOpponent::excuse(Ended ended) {
  if (ended || !fault_) return ended;
  for (TimedWorkload& at : site_.workloads) {
    at.candidate.reset();
    if (at.leg != nullptr) at.leg->end();
    at.leg = nullptr;
    at.own_leg.reset();
    at.opponent.reset();
    at.bench->slots.opponent.reset();
  }
  if (!is_trusted(site_.request.opponent.origin))
    return make_verdict(Stage::Measure, Outcome::Unmeasurable, *fault_);
  Evidence seen = *std::exchange(fault_, std::nullopt);
  for (TimedWorkload& at : site_.workloads)
    // A failure without the candidate is a fault of the task, so it stays an error.
    if (!KW_TRY(serves_alone(at)))
      return fail(ErrorCode::TaskAtFault, About{seen.subject}, words_of(seen));
  seen.kind = EvidenceKind::OpponentDisturbed;
  return make_verdict(Stage::Measure, Outcome::Unmeasurable, std::move(seen));
}

}  // namespace kw::referee
