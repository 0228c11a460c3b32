// What tables of workloads show.
// SPDX-License-Identifier: Apache-2.0
#include "report/workload_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kw::report {
namespace {

WorkloadResult timed() {
  WorkloadResult w;
  w.name = "large, square";
  w.group = Group::Time;
  w.outcome = Outcome::Correct;
  w.median_ns = 2.5e6;
  w.opponent_ns = 5e6;
  w.speedup.value = 2;
  w.speedup.low = 1.9;
  w.speedup.high = 2.1;
  w.speedup.confidence = 0.995;
  w.items_per_s = 4e8;
  w.bytes_per_s = 3.2e9;
  w.roofline.fraction = 0.5;
  w.roofline.bound = Bound::Memory;
  w.samples.resize(12);
  return w;
}

WorkloadResult checked() {
  WorkloadResult w;
  w.name = "prime";
  w.group = Group::Check;
  w.outcome = Outcome::WrongResult;
  w.accuracy.rel_l2 = 0.25;
  w.accuracy.max_abs_diff = 3;
  w.note = "two runs differ";
  return w;
}

TEST(WorkloadTable, HasALineForEachTableOfPeople) {
  EXPECT_EQ(workload_line(WorkloadTable::Run, timed()),
            "  large, square          2.50 ms  against   5.00 ms   2.000x  400 Mitems/s   3.20 GB/s"
            "  0.50 of roof  12 pairs");
  EXPECT_EQ(workload_line(WorkloadTable::Targets, timed()),
            "  large, square          2.50 ms  400 Mitems/s   3.20 GB/s  0.50 of roof");
  EXPECT_EQ(workload_line(WorkloadTable::Sweep, timed()),
            "  2.50 ms  400 Mitems/s    2.000x  12 samples");
  EXPECT_EQ(workload_line(WorkloadTable::Judgement, timed()),
            "  time   large, square      correct          2.50 ms   2.000x  400 Mitems/s  3.20 GB/s"
            "  0.50 of memory roof");
}

TEST(WorkloadTable, LeavesOutWhatWasNotMeasured) {
  EXPECT_EQ(workload_line(WorkloadTable::Judgement, checked()),
            "  check  prime              wrong_result    error 2.5e-01 relative L2, largest 3.0e+00"
            "  two runs differ");
  EXPECT_EQ(workload_line(WorkloadTable::Attempt, checked()), "  prime              wrong_result");
}

TEST(WorkloadTable, CsvHasAFieldForEachColumn) {
  for (const WorkloadCsv table : {WorkloadCsv::Run, WorkloadCsv::Sweep}) {
    WorkloadResult plain = timed();
    plain.name = "large";
    const std::string row = workload_csv(table, plain, 1.5);
    const auto commas = std::ranges::count(workload_csv_header(table), ',');
    EXPECT_EQ(std::ranges::count(row, ','), commas) << row;
    EXPECT_EQ(std::ranges::count(workload_csv_blank(table), ','), commas);
  }
  EXPECT_EQ(workload_csv(WorkloadCsv::Sweep, timed()),
            "2500000.0,5000000.0,2.00000,1.90000,2.10000,4e+08,3.2e+09,0,0.5000,12");
  EXPECT_TRUE(workload_csv(WorkloadCsv::Run, timed(), 1.5).starts_with("\"large, square\",25"));
}

TEST(WorkloadTable, ProgramsGetTheSpeedupWithItsIntervalInAJudgementOnly) {
  EXPECT_EQ(workload_json(WorkloadJson::Judgement, timed())["speedup"]["low"], 1.9);
  EXPECT_EQ(workload_json(WorkloadJson::Sweep, timed())["speedup"], 2.0);
  EXPECT_EQ(workload_json(WorkloadJson::Targets, timed())["samples"], 12);
}

TEST(WorkloadTable, ThePageSaysWhyAWorkloadHasNoTime) {
  const auto time_of = [](const WorkloadResult& w) {
    for (const WorkloadCell& cell : page_cells(w))
      if (cell.name == "time") return cell.text;
    return std::string();
  };
  EXPECT_EQ(time_of(timed()), "2.50 ms");
  WorkloadResult untimed = timed();
  untimed.median_ns = 0;
  EXPECT_EQ(time_of(untimed), "not timed");
  EXPECT_EQ(time_of(checked()), "wrong_result");
}

}  // namespace
}  // namespace kw::report
