// Times a GPU's new best kernel once more, on the referee's own clock.
// SPDX-License-Identifier: Apache-2.0
#include "referee/wall_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/defence.h"
#include "base/text.h"
#include "measure/statistics.h"
#include "referee/fate.h"

namespace kw::referee {
namespace {

// Number of calls that are timed. Long calls need only kFewCalls, because each of them says as much
// as many short ones.
constexpr std::size_t kCalls = 200;
constexpr std::size_t kFewCalls = 20;
constexpr double kWallNs = 1e9;
// Budget for the work between the calls: drawing inputs, loading modules anew, and sometimes
// computing a truth.
constexpr std::int64_t kSpentNs = 500'000'000;
constexpr std::uint64_t kOneChecked = 16;  // one call in sixteen is checked
// Hosts may delay an answer and never hurry it, so the quickest quarter of the calls says more than
// the middle. On an H200 in a virtual machine honest calls were up to 120 µs off.
constexpr double kQuarter = 0.25;
constexpr double kWallTolerance = 0.05;
constexpr double kWallLeastNs = 150e3;
// Pause of a paced series, in times of a call: a pause of two calls leaves the device two thirds
// idle.
constexpr double kPause = 2;
constexpr double kMostPauseNs = 50e6;

}  // namespace

// As in timed pairs, each call has an input set that its process has not seen. Only the time of
// most calls is used; a few are chosen for a check after they returned, and only then is their
// truth computed.
Result<TimedCall> WallClock::time_one(TimedWorkload& at) {
  if (!is_on(Defence::GpuSetsSeenOnce)) return at.candidate->time_again();
  Bench& bench = *at.bench;
  const int set = bench.truths.fresh_set();
  TimedCall timed = KW_TRY(at.candidate->time({set}));
  if (!timed.verdict && site_.rng.below(kOneChecked) == 0 && bench.truths.answers_quickly()) {
    KW_TRY(bench.truths.answer(set));
    timed.verdict = KW_TRY(candidate_.check(at, set, false));
  }
  bench.truths.drop(set);
  return timed;
}

Ended WallClock::time_series(TimedWorkload& at, bool is_paced, std::vector<double>& walls) {
  double sum_ns = 0;
  const std::int64_t started = site_.clock.now_ns();
  const auto has_time = [&] {
    return walls.size() < kCalls && sum_ns < kWallNs && site_.clock.now_ns() - started < kSpentNs;
  };
  while (walls.size() < kFewCalls || (!is_paced && has_time())) {
    const TimedCall again = KW_TRY(time_one(at));
    if (again.verdict) return at_measure(*again.verdict);
    walls.push_back(again.wall_ns);
    sum_ns += again.wall_ns;
    if (is_paced)
      site_.clock.sleep_for(platform::Nanoseconds(
          static_cast<std::int64_t>(std::min(kPause * again.wall_ns, kMostPauseNs))));
  }
  return std::nullopt;
}

// The time of an empty call is subtracted from a call's time. Both go the same way (request,
// spacer, stamp, answer); only the plan is missing.
Ended WallClock::time_empty(TimedWorkload& at, std::size_t calls, double& quicker_ns) {
  std::vector<double> empty;
  for (std::size_t i = 0; i < calls; ++i) {
    KW_TRY(at.bench->slots.flush(1));
    const auto call = at.leg->player().call_empty();
    if (auto verdict = verdict_of(call, at.bench->workload().name, "without the plan"))
      return at_measure(*verdict);
    empty.push_back(call.elapsed_ns);
  }
  quicker_ns = measure::quantile(empty, kQuarter);
  return std::nullopt;
}

// Times a new best kernel once more, first in an uninterrupted series. Such a series of large
// matrix products draws more power than pairs with their pauses, and an H200 then lowers its clocks
// by 8 %: so a series that seems too slow is repeated at the pairs' pace.
Ended WallClock::retime(TimedWorkload& at) {
  const auto lap = site_.account.lap("retime");
  const double stamped = at.result->median_ns;
  const double most = stamped + std::max(kWallLeastNs, kWallTolerance * stamped);
  Retimed retimed;
  for (const bool is_paced : {false, true}) {
    retimed.is_paced = is_paced;
    std::vector<double> walls;
    if (auto verdict = KW_TRY(time_series(at, is_paced, walls))) return verdict;
    retimed.calls = static_cast<int>(walls.size());
    if (auto verdict = KW_TRY(time_empty(at, walls.size(), retimed.empty_ns))) return verdict;
    retimed.call_ns = measure::quantile(walls, kQuarter) - retimed.empty_ns;
    if (retimed.call_ns <= most) break;
  }
  at.result->retimed = {retimed};
  if (retimed.call_ns <= most) return std::nullopt;
  at.result->outcome = Outcome::Unmeasurable;
  return make_verdict(Stage::Measure, Outcome::Unmeasurable,
                      {.kind = EvidenceKind::ClocksDisagree,
                       .workload = at.bench->workload().name,
                       .numbers = {stamped, retimed.call_ns, static_cast<double>(retimed.calls)}});
}

}  // namespace kw::referee
