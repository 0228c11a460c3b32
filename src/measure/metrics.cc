// Computes the weights of order statistics step by step, because binomial coefficients overflow.
// SPDX-License-Identifier: Apache-2.0
#include "measure/metrics.h"

#include <algorithm>
#include <cmath>

#include "base/result.h"
#include "base/rng.h"

namespace kw::measure {
namespace {

bool is_correct(double speedup) { return speedup > kFailed; }

bool have_enough(int k, std::span<const TaskSamples> tasks) {
  return !tasks.empty() && k >= 1 && std::ranges::all_of(tasks, [k](const TaskSamples& t) {
    return t.speedups.size() >= static_cast<std::size_t>(k);
  });
}

/// Mean of `of` over tasks; nothing without tasks.
template <class F>
std::optional<double> mean_over(std::span<const TaskSamples> tasks, const F& of) {
  if (tasks.empty()) return std::nullopt;
  double sum = 0;
  for (const TaskSamples& task : tasks) sum += of(task);
  return sum / static_cast<double>(tasks.size());
}

}  // namespace

double pass_at(int k, int n, int c) {
  KW_ASSERT(1 <= k && k <= n && 0 <= c && c <= n);
  if (n - c < k) return 1;
  double none = 1;  // C(n-c, k) / C(n, k)
  for (int i = n - c + 1; i <= n; ++i) none *= 1 - static_cast<double>(k) / i;
  return 1 - none;
}

double speedup_at(int k, std::span<const double> speedups) {
  const auto n = static_cast<int>(speedups.size());
  KW_ASSERT(1 <= k && k <= n);
  std::vector<double> sorted(speedups.begin(), speedups.end());
  std::ranges::sort(sorted);
  // C(n-1, k-1) / C(n, k) is k / n; the weight before position j is (j - k) / (j - 1) of the weight
  // at j.
  double weight = static_cast<double>(k) / n;
  double sum = 0;
  for (int j = n; j >= k; --j) {
    sum += weight * sorted[static_cast<std::size_t>(j - 1)];
    if (j > 1) weight *= static_cast<double>(j - k) / (j - 1);
  }
  return sum;
}

std::optional<double> pass_at(int k, std::span<const TaskSamples> tasks) {
  if (!have_enough(k, tasks)) return std::nullopt;
  return mean_over(tasks, [k](const TaskSamples& t) {
    return pass_at(k, static_cast<int>(t.speedups.size()),
                   static_cast<int>(std::ranges::count_if(t.speedups, is_correct)));
  });
}

std::optional<double> speedup_at(int k, std::span<const TaskSamples> tasks) {
  if (!have_enough(k, tasks)) return std::nullopt;
  return mean_over(tasks, [k](const TaskSamples& t) { return speedup_at(k, t.speedups); });
}

std::optional<double> efficiency_at(int k, double resources, std::span<const TaskSamples> tasks) {
  KW_ASSERT(resources > 0);
  const auto speedup = speedup_at(k, tasks);
  return speedup ? std::optional(*speedup / resources) : std::nullopt;
}

std::optional<double> fast_p(double p, std::span<const TaskSamples> tasks) {
  if (!have_enough(1, tasks)) return std::nullopt;
  return mean_over(tasks, [p](const TaskSamples& t) {
    const auto fast =
        std::ranges::count_if(t.speedups, [p](double s) { return is_correct(s) && s > p; });
    return static_cast<double>(fast) / static_cast<double>(t.speedups.size());
  });
}

std::optional<double> geomean_correct(std::span<const TaskSamples> tasks) {
  double sum = 0;
  int solved = 0;
  for (const TaskSamples& task : tasks) {
    double logs = 0;
    int correct = 0;
    for (const double s : task.speedups)
      if (is_correct(s)) logs += std::log(s), ++correct;
    if (correct > 0) sum += logs / correct, ++solved;
  }
  return solved > 0 ? std::optional(std::exp(sum / solved)) : std::nullopt;
}

std::optional<double> geomean_all(std::span<const TaskSamples> tasks) {
  if (!have_enough(1, tasks)) return std::nullopt;
  const auto mean = mean_over(tasks, [](const TaskSamples& t) {
    double logs = 0;
    for (const double s : t.speedups) logs += std::log(std::max(s, kWorst));
    return logs / static_cast<double>(t.speedups.size());
  });
  return std::exp(*mean);
}

std::optional<Interval> bootstrap(const Metric& metric, std::span<const TaskSamples> tasks,
                                  double alpha, std::uint64_t seed, int draws) {
  if (tasks.size() < 2) return std::nullopt;
  Rng rng(Seed::from_number(seed).child("bootstrap"));
  std::vector<TaskSamples> drawn(tasks.begin(), tasks.end());
  std::vector<double> values;
  for (int i = 0; i < draws; ++i) {
    for (TaskSamples& task : drawn) task = tasks[static_cast<std::size_t>(rng.below(tasks.size()))];
    if (const auto value = metric(drawn)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return Interval{quantile(values, alpha / 2), quantile(values, 1 - alpha / 2)};
}

}  // namespace kw::measure
