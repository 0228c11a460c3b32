// Computes speedup intervals, their combination over workloads, decisions and noise floors.
// SPDX-License-Identifier: Apache-2.0
#include "measure/estimate.h"

#include <algorithm>
#include <cmath>

#include "base/result.h"

namespace kw::measure {

std::vector<double> log_ratios(std::span<const PairedSample> pairs) {
  std::vector<double> logs;
  logs.reserve(pairs.size());
  for (const PairedSample& p : pairs) {
    KW_ASSERT(p.candidate_ns > 0 && p.opponent_ns > 0);
    logs.push_back(std::log(p.opponent_ns / p.candidate_ns));
  }
  return logs;
}

Estimate estimate_speedup(std::span<const PairedSample> pairs, double alpha) {
  if (pairs.empty()) return {};
  const std::vector<double> logs = log_ratios(pairs);
  Estimate e;
  e.speedup = std::exp(median(logs));
  e.pairs = pairs.size();
  if (const auto interval = median_interval(logs, alpha)) {
    e.low = std::exp(interval->low);
    e.high = std::exp(interval->high);
    e.confidence = 1 - alpha;
  } else {
    const auto [least, most] = std::minmax_element(logs.begin(), logs.end());
    e.low = std::exp(*least);
    e.high = std::exp(*most);
    e.confidence = 1 - std::exp2(1 - static_cast<double>(logs.size()));
  }
  return e;
}

std::optional<Estimate> combine(std::span<const Estimate> workloads) {
  if (workloads.empty()) return std::nullopt;
  const auto square = [](double x) { return x * x; };
  double sum = 0;
  double below = 0;
  double above = 0;
  Estimate all = workloads.front();
  for (const Estimate& e : workloads) {
    const double middle = std::log(e.speedup);
    sum += middle;
    below += square(middle - std::log(e.low));
    above += square(std::log(e.high) - middle);
    all.confidence = std::min(all.confidence, e.confidence);
    all.pairs = std::min(all.pairs, e.pairs);
  }
  const auto count = static_cast<double>(workloads.size());
  all.speedup = std::exp(sum / count);
  all.low = std::exp((sum - std::sqrt(below)) / count);
  all.high = std::exp((sum + std::sqrt(above)) / count);
  return all;
}

double decision_line(double noise_floor) {
  // Least gain that counts as a win, however quiet the machine is. The value is our choice.
  constexpr double kLeastGain = 0.005;
  return 1 + std::max(kLeastGain, noise_floor);
}

bool is_hopeless(const Estimate& estimate) { return estimate.pairs >= 3 && estimate.high < 0.8; }

Decision decide(const Estimate& estimate, double noise_floor, double confidence, double too_wide) {
  if (is_hopeless(estimate)) return Decision::NotFaster;
  constexpr double kRounding = 1e-9;  // rounding of 1 - alpha
  if (estimate.confidence < confidence - kRounding) return Decision::Unmeasurable;
  const double line = decision_line(noise_floor);
  if (estimate.low > line) return Decision::Faster;
  if (estimate.high <= line) return Decision::NotFaster;
  const bool narrow = std::log(estimate.high) - std::log(estimate.low) <= 2 * too_wide;
  return narrow ? Decision::NotFaster : Decision::Unmeasurable;
}

namespace {
constexpr double kMedianError = 1.2533;        // sqrt(pi / 2): error of a normal sample's median
constexpr double kNormalConsistency = 1.4826;  // 1 / Phi^-1(3/4)
}  // namespace

double noise_floor(std::span<const std::vector<PairedSample>> series) {
  KW_ASSERT(!series.empty());
  double squared_shifts = 0;
  double per_sample = 0;  // mean of 1 / pairs
  std::vector<double> residuals;
  const auto count = static_cast<double>(series.size());
  for (const auto& pairs : series) {
    KW_ASSERT(pairs.size() >= 3);
    std::vector<double> logs = log_ratios(pairs);
    const double shift = median(logs);
    squared_shifts += shift * shift / count;
    per_sample += 1 / static_cast<double>(logs.size()) / count;
    // In a series of odd length the median's own residual is 0, which would halve the MAD of a
    // short series; it is left out.
    if (logs.size() % 2 == 1) logs.erase(std::find(logs.begin(), logs.end(), shift));
    for (double log : logs) residuals.push_back(std::abs(log - shift));
  }
  const double error = kMedianError * kNormalConsistency * median(residuals);
  return std::expm1(2 * std::sqrt(std::max(0.0, squared_shifts - error * error * per_sample)));
}

double pool_noise_floors(double first, int first_series, double second, int second_series) {
  if (first_series + second_series == 0) return second;
  const auto squares = [](double floor, int series) {
    const double spread = std::log1p(floor);
    return spread * spread * series;
  };
  return std::expm1(std::sqrt((squares(first, first_series) + squares(second, second_series)) /
                              (first_series + second_series)));
}

bool floor_wants_more(std::span<const PairedSample> series) {
  constexpr std::size_t kFewest = 16;
  constexpr std::size_t kMost = 64;
  // Wanted error of a series' median. Four series with this error overstate the noise floor by 1.7
  // times the error.
  constexpr double kWanted = 0.003;
  if (series.size() < kFewest) return true;
  if (series.size() >= kMost) return false;
  const std::vector<double> logs = log_ratios(series);
  const double shift = median(logs);
  std::vector<double> residuals;
  for (const double log : logs) residuals.push_back(std::abs(log - shift));
  return kMedianError * kNormalConsistency * median(residuals) >
         kWanted * std::sqrt(static_cast<double>(logs.size()));
}

}  // namespace kw::measure
