// Times the opponent against itself where a win depends on the noise floor.
// SPDX-License-Identifier: Apache-2.0
#include "referee/noise_floors.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"

namespace kw::referee {
namespace {

constexpr int kFloorSeries = 4;  // each in fresh processes; measure::noise_floor needs 4
constexpr int kFloorPairs = 16;  // least number of pairs; see measure::floor_wants_more
// Least number of series behind a remembered noise floor that may stop a win without a new
// measurement.
constexpr int kEnoughSeries = 16;
constexpr double kFloorBudgetNs = 2e9;
// Noise floor that is assumed where measuring it would cost more than the comparison.
constexpr double kAssumedFloor = 0.02;

}  // namespace

std::optional<NoiseFloor> NoiseFloors::worst() const {
  NoiseFloor worst;
  for (const TimedWorkload& at : site_.workloads) {
    const auto& floor = at.bench->noise_floor;
    if (!floor) return std::nullopt;
    if (floor->ratio >= worst.ratio) worst = *floor;
  }
  return worst;
}

void NoiseFloors::borrow(TimedWorkload& at, double expected_ns, bool is_late) {
  double borrowed = 0;
  for (const TimedWorkload& other : site_.workloads)
    borrowed = std::max(borrowed, other.bench->noise_floor.value_or(NoiseFloor()).ratio);
  auto& floor = at.bench->noise_floor;
  floor = {.ratio = borrowed > 0 ? borrowed : kAssumedFloor};
  at.result->note =
      fmt::format("the noise floor of {:.3g}, by which equal kernels may differ, is {}: {}",
                  floor->ratio, borrowed > 0 ? "that of another workload" : "assumed",
                  is_late ? "no time is left to measure it"
                          : "measuring it here would take " + format_ns(expected_ns));
}

Result<> NoiseFloors::measure_at(TimedWorkload& at) {
  Bench& bench = *at.bench;
  if (!at.opponent || bench.noise_floor) return {};
  const auto lap = site_.account.lap("floor");
  const int calls = at.opponent->calls();
  const TimedCall probe = KW_TRY(at.opponent->warm_up());
  const double expected = probe.ns * calls * kFloorSeries * (2 * kFloorPairs + 1);
  const bool is_late = site_.haste.is_late();
  if (expected > kFloorBudgetNs || is_late) {
    borrow(at, expected, is_late);
    return {};
  }
  const int most = std::max(kFloorPairs, static_cast<int>(kFloorPairs * kFloorBudgetNs / expected));
  std::vector<std::vector<measure::PairedSample>> series;
  for (int s = 0; s < kFloorSeries; ++s) {
    series.push_back(KW_TRY(measure_series(at, s, most, s + 1 == kFloorSeries)));
    if (series.back().size() < 3) series.pop_back();
  }
  bench.noise_floor = {.ratio = series.empty() ? kAssumedFloor : measure::noise_floor(series),
                       .series = static_cast<int>(series.size())};
  return {};
}

Result<std::vector<measure::PairedSample>> NoiseFloors::measure_series(TimedWorkload& at,
                                                                       int number, int most,
                                                                       bool is_last) {
  Bench& bench = *at.bench;
  const auto twin =
      bench.slots.make_leg("opponent", site_.request.jail, true, *site_.opponent, !is_last);
  Seat seat(bench, *twin, at.opponent->calls(), at.sets, at.lives_on,
            site_.options.reference_timeout_ns,
            site_.seed.child("twin").child(static_cast<std::uint64_t>(number)), site_.account);
  if (site_.is_poison_spared(at)) seat.spare_poison();  // both seats treat outputs alike
  std::vector<measure::PairedSample> pairs;
  for (int p = 0; p < most && measure::floor_wants_more(pairs); ++p) {
    if (site_.haste.is_hurried() || site_.haste.is_too_late()) break;
    const bool is_trusted_pair = !pairs.empty() && is_trusted(site_.request.opponent.origin);
    if (auto verdict = KW_TRY(lives_.begin(at, seat, is_trusted_pair)))
      return opponent_.fails(verdict->seen);
    const auto sets = KW_TRY(sets_.draw(at, seat, false));
    const bool twin_first = (site_.rng() >> 63) != 0;
    SampleTime own;
    if (twin_first) own = KW_TRY(opponent_.time(seat, sets));
    const SampleTime other = KW_TRY(opponent_.time(*at.opponent, sets));
    if (!twin_first) own = KW_TRY(opponent_.time(seat, sets));
    if (own.value_or(0) > 0 && other.value_or(0) > 0) pairs.push_back({*own, *other});
  }
  return pairs;
}

// A floor of four series is unsure, because one slow process among them doubles it. So a remembered
// floor of few series is measured again before it stops a win.
Result<double> NoiseFloors::learn(const measure::PairPlan& plan) {
  const double win = plan.estimate().low;
  // The largest possible floor is that of an opponent whose threads sit on one of P processors
  // together, while its other processes use all P: a win then has to be above P squared
  // (decision_line).
  const double most = std::max(2, site_.facts.cores);
  bool is_beyond_floors = true;
  for (std::size_t w = 0; w < site_.workloads.size(); ++w)
    is_beyond_floors &= plan.estimate(w).low > most * most;
  const auto& remembered = site_.request.measure.noise_floors;
  for (TimedWorkload& at : site_.workloads) {
    const auto known = remembered.find(at.result->name);
    const bool is_known =
        known != remembered.end() && site_.request.measure.purpose == Purpose::Judge;
    auto& floor = at.bench->noise_floor;
    if (is_known && !floor &&
        (known->second.series >= kEnoughSeries ||
         measure::decision_line(known->second.ratio) < win))
      floor = known->second;
    if (floor || is_beyond_floors) continue;
    KW_TRY(measure_at(at));
    if (!is_known) continue;
    const NoiseFloor before = known->second;
    // The floor is measured now, so the note that says a floor was assumed is removed.
    if (floor->series == 0 && before.series > 0) at.result->note.clear();
    floor = NoiseFloor{.ratio = measure::pool_noise_floors(before.ratio, before.series,
                                                           floor->ratio, floor->series),
                       .series = before.series + floor->series};
  }
  double worst = 0;
  for (const TimedWorkload& at : site_.workloads)
    worst =
        std::max(worst, at.bench->noise_floor.value_or(NoiseFloor{.ratio = kAssumedFloor}).ratio);
  return worst;
}

}  // namespace kw::referee
