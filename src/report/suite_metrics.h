// Rows of metrics over the cells of a suite.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/metrics.h"
#include "report/suite_data.h"

namespace kw::report {

struct SuiteMetric {
  std::string name;  ///< "pass@5", "fast_1.5", "geomean_all"
  std::optional<double> value;
  std::optional<measure::Interval> interval;  ///< 95 %, tasks drawn anew.
};

/// One method over all tasks, or over those of a level.
struct SuiteRow {
  SuiteMethod method;
  std::string level;
  int tasks = 0;
  int samples = 0;  ///< Of all tasks; cells without a result have none.
  std::vector<SuiteMetric> metrics;
  Spending spent;  ///< Of all cells.
  int missing = 0;
  std::string trouble;  ///< Of the first that is missing.
};

/// In the order in which methods appear.
std::vector<SuiteMethod> methods_of(const SuiteResult& result);
/// Its cells that have a result.
std::vector<const SuiteCell*> cells_of(const SuiteResult& result, const SuiteMethod& method);

/// A row for each method; metrics treat failures as measure/metrics.h says.
std::vector<SuiteRow> suite_rows(const SuiteResult& result);
/// The same for each level; none where the suite has no levels.
std::vector<SuiteRow> level_rows(const SuiteResult& result);

}  // namespace kw::report
