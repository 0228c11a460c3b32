// Converts the searches of a suite to samples, and computes metrics from the samples.
// SPDX-License-Identifier: Apache-2.0
#include "report/suite_metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/contains.h"
#include "record/target.h"

namespace kw::report {
namespace {

using measure::TaskSamples;
using Samples = std::vector<TaskSamples>;

void add_samples(const SuiteCell& cell, task::SampleUnit unit, std::vector<double>& into) {
  if (unit == task::SampleUnit::Run) return into.push_back(cell.speedup);
  for (const SuiteTry& t : cell.tries)
    if (t.is_written) into.push_back(t.outcome == Outcome::Correct ? t.speedup : measure::kFailed);
}

/// The method's samples for each task, in the order in which tasks appear in the suite.
Samples samples_of(const SuiteResult& result, const SuiteMethod& method,
                   const std::optional<std::string>& level) {
  Samples samples;
  for (const SuiteCell* cell : cells_of(result, method)) {
    if (level && cell->level != *level) continue;
    auto found = std::ranges::find(samples, cell->task, &TaskSamples::task);
    if (found == samples.end()) found = samples.insert(samples.end(), {cell->task, {}});
    add_samples(*cell, result.spec.samples, found->speedups);
  }
  return samples;
}

std::vector<SuiteMetric> metrics_of(const task::SuiteSpec& spec, const Samples& samples) {
  std::vector<SuiteMetric> metrics;
  const auto add = [&](std::string name, const measure::Metric& metric) {
    metrics.push_back({std::move(name), metric(samples), measure::bootstrap(metric, samples)});
  };
  using Tasks = std::span<const TaskSamples>;
  for (const int k : spec.pass)
    add(fmt::format("pass@{}", k), [k](Tasks t) { return measure::pass_at(k, t); });
  for (const double p : spec.fast)
    add(fmt::format("fast_{:g}", p), [p](Tasks t) { return measure::fast_p(p, t); });
  for (const int k : spec.pass)
    add(fmt::format("speedup@{}", k), [k](Tasks t) { return measure::speedup_at(k, t); });
  if (spec.resources > 0)
    for (const int k : spec.pass)
      add(fmt::format("efficiency@{}", k),
          [k, m = spec.resources](Tasks t) { return measure::efficiency_at(k, m, t); });
  add("geomean_correct", measure::geomean_correct);
  add("geomean_all", measure::geomean_all);
  return metrics;
}

SuiteRow row_of(const SuiteResult& result, const SuiteMethod& method,
                const std::optional<std::string>& level) {
  SuiteRow row;
  row.method = method;
  row.level = level.value_or("");
  const Samples samples = samples_of(result, method, level);
  row.tasks = static_cast<int>(samples.size());
  for (const TaskSamples& task : samples) row.samples += static_cast<int>(task.speedups.size());
  row.metrics = metrics_of(result.spec, samples);
  for (const SuiteCell& cell : result.cells) {
    if (cell.method != method || (level && cell.level != *level)) continue;
    row.spent.usd += cell.spent.usd;
    row.spent.tokens += cell.spent.tokens;
    row.spent.calls += cell.spent.calls;
    row.spent.unpriced += cell.spent.unpriced;
    if (cell.trouble.empty()) continue;
    if (++row.missing == 1) row.trouble = cell.trouble;
  }
  return row;
}

}  // namespace

std::vector<SuiteMethod> methods_of(const SuiteResult& result) {
  std::vector<SuiteMethod> methods;
  for (const SuiteCell& cell : result.cells)
    if (!contains(methods, cell.method)) methods.push_back(cell.method);
  return methods;
}

std::vector<const SuiteCell*> cells_of(const SuiteResult& result, const SuiteMethod& method) {
  std::vector<const SuiteCell*> cells;
  for (const SuiteCell& cell : result.cells)
    if (cell.method == method && cell.trouble.empty()) cells.push_back(&cell);
  return cells;
}

std::vector<SuiteRow> suite_rows(const SuiteResult& result) {
  std::vector<SuiteRow> rows;
  for (const SuiteMethod& method : methods_of(result))
    rows.push_back(row_of(result, method, std::nullopt));
  return rows;
}

std::vector<SuiteRow> level_rows(const SuiteResult& result) {
  std::vector<std::string> levels;
  for (const SuiteCell& cell : result.cells)
    if (!cell.level.empty() && !contains(levels, cell.level)) levels.push_back(cell.level);
  std::vector<SuiteRow> rows;
  for (const std::string& level : levels)
    for (const SuiteMethod& method : methods_of(result))
      rows.push_back(row_of(result, method, level));
  return rows;
}

}  // namespace kw::report
