// Writes the points of a sweep as a table and as a plot.
// SPDX-License-Identifier: Apache-2.0
#include "session/sweep_files.h"

#include <fmt/format.h>

#include <filesystem>

#include "report/plot.h"
#include "report/workload_table.h"

namespace kw::session {
namespace {

std::string csv_of(const std::string& dim, const std::vector<SweepPoint>& points) {
  std::string text =
      fmt::format("{},outcome,{}\n", dim, report::workload_csv_header(report::WorkloadCsv::Sweep));
  for (const SweepPoint& p : points) {
    const WorkloadResult* w = p.timed();
    text += fmt::format("{},{},{}\n", p.value, p.outcome(),
                        w == nullptr ? report::workload_csv_blank(report::WorkloadCsv::Sweep)
                                     : report::workload_csv(report::WorkloadCsv::Sweep, *w));
  }
  return text;
}

std::string svg_of(const SweepResult& sweep) {
  report::Series mine{sweep.kernel, {}, {}};
  report::Series theirs{sweep.baseline, {}, {}};
  for (const SweepPoint& p : sweep.points) {
    const WorkloadResult* w = p.timed();
    if (w == nullptr) continue;
    mine.x.push_back(static_cast<double>(p.value));
    mine.y.push_back(w->items_per_s);
    if (w->opponent_ns <= 0) continue;
    theirs.x.push_back(static_cast<double>(p.value));
    theirs.y.push_back(w->items_per_s * w->median_ns / w->opponent_ns);
  }
  std::vector<report::Series> series{std::move(mine)};
  if (!theirs.x.empty()) series.push_back(std::move(theirs));
  return report::line_svg({sweep.task + " over " + sweep.dim, sweep.dim, "items/s", true, true},
                          series);
}

/// The path runs/sweeps/<task>-<dim>-<n>, where n is the first free number.
Result<platform::Path> stem_for(const store::RunStore& store, const SweepResult& sweep) {
  const platform::Path folder = store.root() / "sweeps";
  KW_TRY(platform::make_dirs(folder));
  for (int n = 1;; ++n) {
    const platform::Path stem = folder / fmt::format("{}-{}-{}", sweep.task, sweep.dim, n);
    std::error_code ignored;
    if (!std::filesystem::exists(stem.string() + ".csv", ignored)) return stem;
  }
}

}  // namespace

Result<> write_sweep(const store::RunStore& store, SweepResult& result) {
  const platform::Path stem = KW_TRY(stem_for(store, result));
  result.csv = stem.string() + ".csv";
  result.svg = stem.string() + ".svg";
  KW_TRY(platform::write_file_atomic(result.csv, csv_of(result.dim, result.points), false));
  return platform::write_file_atomic(result.svg, svg_of(result), false);
}

}  // namespace kw::session
