// The noise floor of a timing: the ratio that the opponent shows against itself.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "referee/timing.h"

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

// The largest noise floor of all workloads; nothing while the floor of one workload is unknown.
std::optional<NoiseFloor> Timing::worst_floor() const {
  NoiseFloor worst;
  for (const Entry& entry : entries_) {
    const auto& floor = entry.bench->noise_floor;
    if (!floor) return std::nullopt;
    if (floor->ratio >= worst.ratio) worst = *floor;
  }
  return worst;
}

double Timing::worst_ratio() const { return worst_floor().value_or(NoiseFloor()).ratio; }

// Times the opponent against itself, in fresh processes for each series.
Result<> Timing::measure_floor(Entry& entry) {
  Bench& bench = *entry.bench;
  if (!entry.opponent || bench.noise_floor) return {};
  const auto lap = account_.lap("floor");
  const int calls = entry.opponent->calls();
  const TimedCall probe = KW_TRY(entry.opponent->warm_up());
  const double expected = probe.ns * calls * kFloorSeries * (2 * kFloorPairs + 1);
  const bool is_late = haste_.is_late();
  if (expected > kFloorBudgetNs || is_late) {
    double borrowed = 0;
    for (const Entry& other : entries_)
      borrowed = std::max(borrowed, other.bench->noise_floor.value_or(NoiseFloor()).ratio);
    bench.noise_floor = {.ratio = borrowed > 0 ? borrowed : kAssumedFloor};
    entry.result->note =
        fmt::format("the noise floor of {:.3g}, by which equal kernels may differ, is {}: {}",
                    bench.noise_floor->ratio, borrowed > 0 ? "that of another workload" : "assumed",
                    is_late ? "no time is left to measure it"
                            : "measuring it here would take " + format_ns(expected));
    return {};
  }
  const int most = std::max(kFloorPairs, static_cast<int>(kFloorPairs * kFloorBudgetNs / expected));
  std::vector<std::vector<measure::PairedSample>> series;
  for (int s = 0; s < kFloorSeries; ++s) {
    const bool is_last = s + 1 == kFloorSeries;
    const auto twin = bench.make_leg("opponent", request_.jail, true, *opponent_, !is_last);
    Seat seat(bench, *twin, calls, entry.sets, entry.lives_on, options_.reference_timeout_ns,
              seed_.child("twin").child(static_cast<std::uint64_t>(s)), account_);
    if (is_poison_spared(entry)) seat.spare_poison();  // both seats treat outputs alike
    series.emplace_back();
    for (int p = 0; p < most && measure::floor_wants_more(series.back()); ++p) {
      if (haste_.is_hurried() || haste_.is_too_late()) break;
      const bool is_trusted_pair = !series.back().empty() && is_trusted(request_.opponent.origin);
      if (auto verdict = KW_TRY(begin_lives(entry, seat, is_trusted_pair)))
        return opponent_fails(verdict->evidence);
      const auto sets = KW_TRY(draw_sets(entry, seat, false));
      const bool twin_first = (rng_() >> 63) != 0;
      Time own;
      if (twin_first) own = KW_TRY(time_trusted(seat, sets));
      const Time other = KW_TRY(time_trusted(*entry.opponent, sets));
      if (!twin_first) own = KW_TRY(time_trusted(seat, sets));
      if (own.value_or(0) > 0 && other.value_or(0) > 0) series.back().push_back({*own, *other});
    }
    if (series.back().size() < 3) series.pop_back();
  }
  bench.noise_floor = {.ratio = series.empty() ? kAssumedFloor : measure::noise_floor(series),
                       .series = static_cast<int>(series.size())};
  return {};
}

// A floor of four series is unsure, because one slow process among them doubles it. So a remembered
// floor of few series is measured again before it stops a win.
Result<double> Timing::learn_floors(const measure::PairPlan& plan) {
  const double win = plan.estimate().low;
  // The largest possible floor is that of an opponent whose threads sit on one of P processors
  // together, while its other processes use all P: a win then has to be above P squared
  // (decision_line).
  const double most = std::max(2, facts_.cores);
  bool is_beyond_floors = true;
  for (std::size_t w = 0; w < entries_.size(); ++w)
    is_beyond_floors &= plan.estimate(w).low > most * most;
  const auto& remembered = request_.measure.noise_floors;
  for (Entry& entry : entries_) {
    const auto known = remembered.find(entry.result->name);
    const bool is_known = known != remembered.end() && request_.measure.purpose == Purpose::Judge;
    auto& floor = entry.bench->noise_floor;
    if (is_known && !floor &&
        (known->second.series >= kEnoughSeries ||
         measure::decision_line(known->second.ratio) < win))
      floor = known->second;
    if (floor || is_beyond_floors) continue;
    KW_TRY(measure_floor(entry));
    if (!is_known) continue;
    const NoiseFloor before = known->second;
    // The floor is measured now, so the note that says a floor was assumed is removed.
    if (floor->series == 0 && before.series > 0) entry.result->note.clear();
    floor = NoiseFloor{.ratio = measure::pool_noise_floors(before.ratio, before.series,
                                                           floor->ratio, floor->series),
                       .series = before.series + floor->series};
  }
  double worst = 0;
  for (const Entry& entry : entries_)
    worst = std::max(worst,
                     entry.bench->noise_floor.value_or(NoiseFloor{.ratio = kAssumedFloor}).ratio);
  return worst;
}

}  // namespace kw::referee
