// Schedules looks at the interval, allots samples to workloads, and ends measurements.
// SPDX-License-Identifier: Apache-2.0
#include "measure/sampling_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"

namespace kw::measure {
namespace {

constexpr std::size_t kProbePairs = 3;  // they tell durations, and show hopeless comparisons
constexpr std::size_t kMostLooks = 6;   // all looks share 1 - confidence
// Least ratio between the times of two successive looks at the interval; closer looks do not pay.
constexpr double kLookRatio = 1.5;
// Timed span in nanoseconds before the first look at the interval, so that short calls give many
// pairs first.
constexpr double kFirstLookNs = 25e6;
constexpr std::size_t kFirstLookPairs = 40;  // the first look does not wait for more pairs

// Duration of a pair: the median, because the first call may be far off.
double usual_duration(std::span<const PairedSample> pairs) {
  std::vector<double> durations;
  durations.reserve(pairs.size());
  for (const PairedSample& p : pairs) durations.push_back(p.candidate_ns + p.opponent_ns);
  return median(durations);
}

}  // namespace

Limits at_fidelity(Limits full, double fidelity) {
  KW_ASSERT(fidelity > 0 && fidelity <= 1);
  full.budget_ns *= fidelity;
  full.may_be_rough = full.may_be_rough || fidelity < 1;
  return full;
}

std::vector<std::size_t> allot(double budget_ns, std::span<const double> cost_ns,
                               std::span<const double> spread, std::size_t fewest) {
  KW_ASSERT(cost_ns.size() == spread.size());
  const std::size_t n = cost_ns.size();
  std::vector<std::size_t> counts(n, fewest);
  std::vector<bool> at_minimum(n, false);
  // A workload whose share is below the minimum gets the minimum and no longer takes part in the
  // sharing.
  for (bool changed = true; changed;) {
    changed = false;
    double left_ns = budget_ns;
    double weight = 0;  // sum of cost * spread / sqrt(cost)
    for (std::size_t i = 0; i < n; ++i) {
      if (at_minimum[i])
        left_ns -= static_cast<double>(fewest) * cost_ns[i];
      else
        weight += spread[i] * std::sqrt(cost_ns[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (at_minimum[i]) continue;
      const double share =
          weight > 0 ? std::max(0.0, left_ns) * spread[i] / std::sqrt(cost_ns[i]) / weight : 0;
      if (share < static_cast<double>(fewest)) {
        at_minimum[i] = changed = true;
        counts[i] = fewest;
      } else {
        counts[i] = static_cast<std::size_t>(share);
      }
    }
  }
  return counts;
}

PairPlan::PairPlan(const Limits& limits, Seed seed, std::size_t workloads)
    : limits_(limits), coin_(seed), series_(workloads) {
  KW_ASSERT(workloads > 0);
  for (Series& s : series_) s.target = kProbePairs;
  if (limits_.exact_pairs == 0) return;
  looks_ = 1;  // the only look is at the end
  for (Series& s : series_) s.target = limits_.exact_pairs;
}

Turn PairPlan::next() {
  KW_ASSERT(!ended_ && !waits_);
  return {at_, (coin_() >> 63) != 0};
}

void PairPlan::add(const PairedSample& sample) {
  KW_ASSERT(!ended_ && !waits_ && sample.candidate_ns > 0 && sample.opponent_ns > 0);
  series_[at_].samples.push_back(sample);
  spent_ns_ += sample.candidate_ns + sample.opponent_ns;
  if (spent_ns_ >= limits_.hard_budget_ns) return look(true);
  skip_filled();
  if (at_ < series_.size()) return;
  if (looks_ == 0)
    plan_looks();
  else
    look(looks_done_ + 1 == looks_);
  if (!ended_ && !waits_) set_targets();
}

void PairPlan::cut_short(std::string why) {
  if (ended_) return;
  look(true);
  if (waits_)
    ending_ = std::move(why);
  else
    end(std::move(why));
}

void PairPlan::give_noise_floor(double floor) {
  KW_ASSERT(waits_);
  waits_ = false;
  limits_.noise_floor = floor;
  std::string why = std::exchange(ending_, {});
  conclude(waits_last_);
  if (!why.empty())
    end(std::move(why));
  else if (!ended_)
    set_targets();
}

Decision PairPlan::decision() const {
  KW_ASSERT(ended_);
  return decide(combined_, limits_.noise_floor.value_or(0), limits_.confidence, limits_.too_wide);
}

std::span<const PairedSample> PairPlan::samples(std::size_t workload) const {
  return series_.at(workload).samples;
}

// Plans, after the first few pairs, how many looks at the interval the budget has room for, and
// when the first and the last are due.
void PairPlan::plan_looks() {
  const double alpha = 1 - limits_.confidence;
  for (Series& s : series_) s.estimate = estimate_speedup(s.samples, alpha);
  double round_ns = 0;
  std::vector<Estimate> probes;
  for (const Series& s : series_) {
    round_ns += usual_duration(s.samples);
    probes.push_back(s.estimate);
  }
  combined_ = *combine(probes);
  if (limits_.stop_when_decided && std::all_of(probes.begin(), probes.end(), is_hopeless))
    return end("every timed pair shows that the candidate is far slower");

  const auto affordable = static_cast<std::size_t>(
      std::min(static_cast<double>(limits_.max_pairs), limits_.budget_ns / round_ns));
  const auto gathered = static_cast<std::size_t>(kFirstLookNs / round_ns);
  const std::size_t first = std::max(samples_needed(alpha / static_cast<double>(kMostLooks)),
                                     std::min(gathered, kFirstLookPairs));
  const double room = static_cast<double>(affordable) / static_cast<double>(first);
  if (room >= kLookRatio) {
    const auto steps = static_cast<std::size_t>(std::log(room) / std::log(kLookRatio));
    looks_ = std::min(kMostLooks, 1 + steps);
  } else {
    looks_ = 1;
  }
  const std::size_t last = std::max(affordable, fewest_pairs());
  last_look_ns_ = static_cast<double>(last) * round_ns;
  first_look_ns_ = looks_ == 1 ? last_look_ns_ : static_cast<double>(first) * round_ns;
}

// Fewest pairs that give an interval at one look's share of 1 - confidence.
std::size_t PairPlan::fewest_pairs() const {
  const double alpha = (1 - limits_.confidence) / static_cast<double>(looks_);
  return limits_.may_be_rough ? kProbePairs : std::max(kProbePairs, samples_needed(alpha));
}

// Sets how many pairs to reach before the next look. A look whose time has passed already (calls
// grew slower since the plan was made) is forfeited.
void PairPlan::set_targets() {
  for (; looks_done_ < looks_; ++looks_done_) {
    allot_until(looks_done_);
    at_ = 0;
    skip_filled();
    if (at_ < series_.size()) return;
  }
  end("the time for measuring is used up");
}

// Sets how many pairs each workload needs so that the time until look number `look`, counted from
// 0, is used up.
void PairPlan::allot_until(std::size_t look) {
  const double step =
      looks_ == 1 ? 0.0 : static_cast<double>(look) / static_cast<double>(looks_ - 1);
  const double due_ns = first_look_ns_ * std::pow(last_look_ns_ / first_look_ns_, step);
  std::vector<double> costs;
  std::vector<double> spreads;
  for (const Series& s : series_) {
    costs.push_back(usual_duration(s.samples));
    // The spread comes from the interval's width, because the interval spans timing modes that the
    // MAD misses. Before the first look three pairs say nothing about the spread, so all workloads
    // get equal numbers of pairs.
    const double width = std::log(s.estimate.high) - std::log(s.estimate.low);
    const auto pairs = static_cast<double>(s.samples.size());
    spreads.push_back(look == 0 ? std::sqrt(costs.back()) : width * std::sqrt(pairs));
  }
  const auto counts = allot(due_ns, costs, spreads, fewest_pairs());
  for (std::size_t w = 0; w < series_.size(); ++w)
    series_[w].target = std::min(counts[w], limits_.max_pairs);
}

void PairPlan::skip_filled() {
  while (at_ < series_.size() && series_[at_].samples.size() >= series_[at_].target) ++at_;
}

void PairPlan::look(bool last) {
  ++looks_done_;
  const double spending =
      (1 - limits_.confidence) / static_cast<double>(std::max<std::size_t>(looks_, 1));
  std::vector<Estimate> estimates;
  for (Series& s : series_) {
    s.estimate = estimate_speedup(s.samples, spending);
    // The confidence reported is that of all looks together, not of the latest look alone.
    if (s.estimate.confidence >= 1 - spending) s.estimate.confidence = limits_.confidence;
    estimates.push_back(s.estimate);
  }
  combined_ = *combine(estimates);
  conclude(last);
}

// Ends the comparison if the latest look allows it, or waits for the noise floor if the floor
// decides.
void PairPlan::conclude(bool last) {
  const double line = decision_line(limits_.noise_floor.value_or(0));
  const double width = (std::log(combined_.high) - std::log(combined_.low)) / 2;
  const bool sure = combined_.confidence >= limits_.confidence;
  const bool narrow = width <= std::max(limits_.half_width,
                                        limits_.gain_share * std::abs(std::log(combined_.speedup)));
  waits_ = sure && !limits_.noise_floor && combined_.low > line &&
           (narrow || last || limits_.stop_when_decided);
  waits_last_ = last;
  if (waits_) return;
  if (sure && limits_.stop_when_decided && combined_.low > line)
    end(fmt::format("the speedup is certainly above {:.3f}", line));
  else if (sure && limits_.stop_when_decided && combined_.high <= line)
    end(fmt::format("the speedup is certainly not above {:.3f}", line));
  else if (sure && narrow)
    end(fmt::format("the speedup is known to ±{:.2g} %", 100 * width));
  else if (last) {
    const bool exact = limits_.exact_pairs > 0;
    if (sure)
      end(fmt::format("{}, the speedup is known to ±{:.2g} %",
                      exact ? "all pairs are timed" : "the time for measuring is used up",
                      100 * width));
    else
      end(exact ? "all pairs are timed, and they are too few for an interval"
                : "the time for measuring was used up by too few pairs for an interval");
  }
}

void PairPlan::end(std::string why) {
  ended_ = true;
  ending_ = std::move(why);
}

void SoloPlan::add(double ns) {
  KW_ASSERT(!ended_ && ns > 0);
  constexpr std::size_t kFewest = 3;
  samples_.push_back(ns);
  spent_ns_ += ns;
  const bool spent = spent_ns_ >= limits_.budget_ns && samples_.size() >= kFewest;
  ended_ = spent || spent_ns_ >= limits_.hard_budget_ns || samples_.size() >= limits_.max_pairs;
  if (limits_.exact_pairs > 0) {
    ended_ = spent_ns_ >= limits_.hard_budget_ns || samples_.size() >= limits_.exact_pairs;
    return;
  }
  if (ended_ || samples_.size() < next_look_) return;
  next_look_ *= 2;
  ended_ = estimate().settled;
}

SeriesEstimate SoloPlan::estimate() const {
  SeriesEstimate e;
  e.samples = samples_.size();
  if (samples_.empty()) return e;
  e.median_ns = median(samples_);
  e.mad_ns = mad(samples_);
  if (const auto interval = series_median_interval(samples_, 1 - limits_.confidence)) {
    e.interval = *interval;
    e.settled = (interval->high - interval->low) / 2 <= limits_.half_width * e.median_ns;
  }
  return e;
}

}  // namespace kw::measure
