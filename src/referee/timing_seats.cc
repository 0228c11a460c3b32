// Seats candidate and opponent at a workload.
// SPDX-License-Identifier: Apache-2.0
#include "referee/timing_seats.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "base/text.h"
#include "measure/warm_up.h"
#include "referee/check.h"
#include "referee/fate.h"
#include "referee/gpu_times.h"

namespace kw::referee {
namespace {

constexpr int kEmptyCalls = 25;
constexpr measure::WarmUpLimits kSettle{.window_ns = 10e6, .most_ns = 200e6, .tolerance = 0.03};
// Limits of the warm-up on a GPU: the referee's work between the calls keeps the GPU busy, and
// takes ten times as long as a short call.
constexpr measure::WarmUpLimits kGpuSettle{.window_ns = 2e6, .most_ns = 20e6, .tolerance = 0.03};

}  // namespace

Ended TimingSeats::set_up(TimedWorkload& at) {
  WorkloadResult& result = *at.result;
  if (auto verdict = KW_TRY(seat_legs(at))) return verdict;
  result.checked_share = candidate_.share_to_check(at);
  if (auto verdict = KW_TRY(settle(at))) return verdict;
  result.calls_per_sample = at.calls;
  result.opponent_calls_per_sample = at.opponent ? at.calls : 0;
  return std::nullopt;
}

// Prepares candidate and opponent for samples of one call. If either one's call is too short for
// the clock, prepares both again for as many calls as a sample needs.
Ended TimingSeats::seat_legs(TimedWorkload& at) {
  while (true) {
    double shortest_ns = 0;
    if (auto verdict = KW_TRY(seat_once(at, shortest_ns))) return verdict;
    if (at.bench->runs_plans()) return too_short(at, shortest_ns);
    if (shortest_ns * at.calls >= site_.options.short_sample_ns) return std::nullopt;
    if (auto verdict = add_calls(at, shortest_ns)) return verdict;
  }
}

Ended TimingSeats::seat_once(TimedWorkload& at, double& shortest_ns) {
  Bench& bench = *at.bench;
  KW_TRY(bench.slots.ensure(1));
  KW_TRY(measure_empty(bench));
  KW_TRY(sets_.prepare(at));
  at.candidate.reset();
  if (!bench.runs_plans() || at.leg == nullptr || !at.lives_on) {
    at.own_leg = bench.slots.make_leg("candidate", site_.request.jail, true, site_.candidate);
    at.leg = at.own_leg.get();
  }
  at.candidate = std::make_unique<Seat>(bench, *at.leg, at.calls, at.sets, at.lives_on,
                                        call_timeout(site_.options, bench),
                                        site_.seed.child("candidate"), site_.account);
  // The opponent is not prepared yet, so only the candidate's process is started.
  if (auto verdict = KW_TRY(lives_.begin(at, *at.candidate))) return at_measure(*verdict);
  const TimedCall own = KW_TRY(at.candidate->estimate());
  if (own.verdict) return at_measure(*own.verdict);
  at.call_ns = own.ns;
  shortest_ns = own.ns;
  if (site_.opponent != nullptr) shortest_ns = std::min(shortest_ns, KW_TRY(opponent_.seat(at)));
  return std::nullopt;
}

std::optional<Verdict> TimingSeats::add_calls(TimedWorkload& at, double shortest_ns) const {
  const Options& options = site_.options;
  const double needed = calls_needed(shortest_ns, options);
  const auto per_set = std::max<std::int64_t>(at.bench->bytes_per_set(), 1);
  if (needed > options.most_calls_per_sample ||
      static_cast<std::int64_t>(needed) * per_set > at.memory_bytes) {
    at.result->outcome = Outcome::Unmeasurable;
    const auto most =
        std::min<std::int64_t>(options.most_calls_per_sample, at.memory_bytes / per_set);
    return make_verdict(Stage::Measure, Outcome::Unmeasurable,
                        {.kind = EvidenceKind::TooManyCalls,
                         .workload = at.bench->workload().name,
                         .numbers = {std::max(shortest_ns, 0.0), options.short_sample_ns, needed,
                                     static_cast<double>(most)}});
  }
  at.calls = std::max(at.calls + 1, static_cast<int>(needed));
  return std::nullopt;
}

// Measures the time of an empty call, which is subtracted from timed calls, in a process that has
// loaded nothing, so that no candidate can enlarge it. The calls are warm where timed ones are
// cold, and the shortest of them counts: so too little is subtracted, never too much.
Result<> TimingSeats::measure_empty(Bench& bench) {
  // On a GPU each leg measures instead by how much the stamps of an empty call exceed its events.
  if (bench.runs_plans() || bench.slots.empty_ns) return {};
  const auto player = KW_TRY(
      site_.device.start_player(bench.slots.player_spec("empty call", site_.request.jail, true)));
  double least_ns = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kEmptyCalls; ++i) {
    const auto call = player->call_empty();
    if (call.fate != device::Fate::Returned)
      return fail(ErrorCode::DeviceFailed, About{"empty call"},
                  "a new process that has loaded no candidate does not answer an empty call", {},
                  Advice::Retry);
    least_ns = std::min(least_ns, call.elapsed_ns);
  }
  bench.slots.empty_ns = least_ns;
  return {};
}

// Lets clocks and governors settle, once for the whole evaluation. A judgement on cpu needs no
// warm-up: its checks have just kept every core busy, and paired samples bear a drift. A GPU needs
// one, because it was waiting for the host.
Ended TimingSeats::settle(TimedWorkload& at) {
  const bool is_busy = site_.request.measure.purpose == Purpose::Judge && !at.bench->runs_plans();
  if (std::exchange(settled_, true) || is_busy) return std::nullopt;
  measure::WarmUp warm(at.bench->runs_plans() ? kGpuSettle : kSettle);
  while (warm.wants_more()) {
    const TimedCall call = KW_TRY(at.candidate->warm_up());
    if (call.verdict) return at_measure(*call.verdict);
    warm.add(std::max(call.ns, 1.0));
  }
  return std::nullopt;
}

}  // namespace kw::referee
