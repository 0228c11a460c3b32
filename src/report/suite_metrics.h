// Computes the metrics of a suite, one row for each method.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/metrics.h"
#include "report/suite_data.h"

namespace kw::report {

struct SuiteMetric {
  std::string name;  ///< The metric's name: "pass@5", "fast_1.5", "geomean_all".
  std::optional<double> value;
  std::optional<measure::Interval> interval;  ///< 95 % interval from a bootstrap over tasks.
};

/// The metrics of one method over all tasks, or over the tasks of one level.
struct SuiteRow {
  SuiteMethod method;
  std::string level;
  int tasks = 0;
  int samples = 0;  ///< Samples over all tasks; searches without a result have none.
  std::vector<SuiteMetric> metrics;
  Spending spent;       ///< Cost of all searches, including those without a result.
  int missing = 0;      ///< Number of searches without a result.
  std::string trouble;  ///< Why the first search without a result has none.
};

/// The methods that a suite compares, in the order in which they appear.
std::vector<SuiteMethod> methods_of(const SuiteResult& result);
/// The searches of a method that have a result.
std::vector<const SuiteCell*> cells_of(const SuiteResult& result, const SuiteMethod& method);

/// A row of metrics for each method over all tasks. measure/metrics.h says how metrics count
/// failures.
std::vector<SuiteRow> suite_rows(const SuiteResult& result);
/// A row of metrics for each level and method; empty if the suite's tasks have no levels.
std::vector<SuiteRow> level_rows(const SuiteResult& result);

}  // namespace kw::report
