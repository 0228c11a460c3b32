// What tables of workloads show, to people and to programs: the columns, and which table has which.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "record/evaluation.h"

namespace kw::report {

/// Tables for people.
enum class WorkloadTable {
  Judgement,  ///< A whole evaluation, as `kw judge` prints it.
  Attempt,    ///< The measurement of one attempt, as `kw show RUN --attempt N` prints it.
  Run,        ///< The best kernel of a run, as the run's report ends with it.
  Targets,    ///< The best kernels of several targets: `kw compare --targets`.
  Sweep,      ///< One point of `kw sweep`.
};
/// A workload's line without a line end. Columns without a figure are left out where the table
/// allows it.
std::string workload_line(WorkloadTable table, const WorkloadResult& w);

/// Tables as CSV, of timed workloads.
enum class WorkloadCsv {
  Run,    ///< All attempts of a run; a last column of the workload's part is its samples.
  Sweep,  ///< The points of a sweep.
};
/// The names of the columns, joined by commas.
std::string workload_csv_header(WorkloadCsv table);
/// The fields of a workload, joined by commas. `against_baseline` is the speedup of the attempt
/// over the run's baseline, which WorkloadCsv::Run shows.
std::string workload_csv(WorkloadCsv table, const WorkloadResult& w, double against_baseline = 0);
/// The fields of a row for which nothing was timed.
std::string workload_csv_blank(WorkloadCsv table);

/// Objects for programs.
enum class WorkloadJson { Judgement, Targets, Sweep };
/// The figures of a workload by key.
Json workload_json(WorkloadJson table, const WorkloadResult& w);

/// A cell of the page's tables: its name in the template, and its text.
struct WorkloadCell {
  std::string_view name;
  std::string text;
};
/// The cells of a timed workload on the page, except for the drawing of its interval.
std::vector<WorkloadCell> page_cells(const WorkloadResult& w);
/// The cells of a workload on the page that was only checked.
std::vector<WorkloadCell> page_check_cells(const WorkloadResult& w);

/// A workload that two evaluations have timed.
struct ShapeComparison {
  std::string name;
  double median_ns = 0;
  double other_ns = 0;
  std::optional<Speedup> ratio;  ///< Nothing: the two cannot be compared.
};
/// A comparison's line without a line end, and its figures by key.
std::string comparison_line(const ShapeComparison& shape);
Json comparison_json(const ShapeComparison& shape);

}  // namespace kw::report
