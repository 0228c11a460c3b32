// Rules about pipes, caches, occupancy and levels, from tables as Nsight Compute prints them,
// written after the documented format by hand.
// SPDX-License-Identifier: Apache-2.0
#include "profile/ncu_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "profile/findings_for_test.h"
#include "profile/hierarchy.h"

namespace kw::profile {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A product of bfloat16 on matrix units, 4096 cubed, in 200 us.
constexpr char kProduct[] =
    R"csv("ID","Kernel Name","gpu__time_duration.sum","dram__bytes_read.sum","dram__bytes_write.sum","dram__throughput.avg.pct_of_peak_sustained_elapsed","sm__throughput.avg.pct_of_peak_sustained_elapsed","lts__t_bytes.sum","l1tex__t_bytes.sum","l1tex__t_sector_hit_rate.pct","l1tex__throughput.avg.pct_of_peak_sustained_active","lts__t_sector_hit_rate.pct","lts__throughput.avg.pct_of_peak_sustained_active","sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active","sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active","sm__ops_path_tensor_src_bf16_dst_fp32.sum","sm__ops_path_tensor_src_fp16.sum","sm__maximum_warps_per_active_cycle_pct","sm__warps_active.avg.pct_of_peak_sustained_active","launch__occupancy_limit_blocks","launch__occupancy_limit_registers","launch__occupancy_limit_shared_mem","launch__occupancy_limit_warps","launch__registers_per_thread"
"","","ns","byte","byte","%","%","byte","byte","%","%","%","%","%","%","","","%","%","block","block","block","block","register/thread"
"0","product(int)","200,000","67,108,864","33,554,432","15.5","55.2","1,600,000,000","4,000,000,000","20.5","45","91","40.5","52.25","4.5","137,438,953,472","0","18.75","18.7","32","1","1","5","168"
)csv";

KernelProfile product(const std::map<std::string, double>& changed = {}) {
  auto kernels = parse_ncu_csv(kProduct);
  EXPECT_EQ(kernels.size(), 1u);
  for (const auto& [name, value] : changed) {
    EXPECT_TRUE(kernels.front().get(name)) << name << " is no counter of the table";
    kernels.front().counters[name] = value;
  }
  return std::move(kernels.front());
}

/// An H200 with the ceilings that `kw device --measure` finds on it, rounded.
DeviceFacts measured_h200() {
  DeviceFacts facts;
  facts.target = Target::Cuda;
  const auto add = [&](const char* kind, const char* level, double per_second, double reads) {
    Ceiling c;
    c.kind = kind, c.level = level, c.isa = "sm_90a", c.per_second = per_second, c.reads = reads;
    facts.ceilings.push_back(c);
  };
  add("read", "DRAM", 4.6e12, 1);
  add("copy", "DRAM", 4.1e12, 0.5);
  add("read", "L2", 14e12, 1);
  add("copy", "L2", 8.6e12, 0.5);
  add("read", "shared", 33e12, 1);
  add("fma_f32", "core", 65e12, 0);
  add("mma_bf16", "core", 900e12, 0);
  return facts;
}

std::string told(const KernelProfile& k, const Workload* workload = nullptr,
                 const DeviceFacts* device = nullptr) {
  return in_short(counter_findings({&k, 1}, workload, device));
}

Workload nominal(std::int64_t bytes) {
  Workload w;
  w.name = "square";
  w.work.read_bytes = bytes;
  return w;
}

TEST(CounterRules, PipesAreNamedWithWhatTheyWaitFor) {
  EXPECT_THAT(told(product()), HasSubstr("matrix units wait: 0.5225 0.045\n"));
  const std::string tensor = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";
  const std::string plain = "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active";
  EXPECT_THAT(told(product({{tensor, 80}})), HasSubstr("matrix units bind:"));
  EXPECT_THAT(told(product({{tensor, 79.9}})), HasSubstr("\nunits: 0.799 0.045\n"));
  EXPECT_THAT(told(product({{tensor, 0}, {plain, 85}})), HasSubstr("f32 units bind:"));
  EXPECT_THAT(told(product({{tensor, 0}, {plain, 19}})), HasSubstr("\nunits wait:"));
  EXPECT_THAT(
      told(product(
          {{tensor, 0}, {plain, 19}, {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 60}})),
      Not(HasSubstr("units wait")));
}

TEST(CounterRules, TheOlderNamesOfPipesServeAsWell) {
  KernelProfile k = product();
  k.counters["sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active"] = 90;
  k.counters.erase("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active");
  EXPECT_THAT(told(k), HasSubstr("matrix units bind: 0.9 0.045\n"));
}

TEST(CounterRules, ACacheAtItsPeakBinds) {
  EXPECT_THAT(told(product()), Not(HasSubstr("L2 binds:")));
  EXPECT_THAT(told(product({{"lts__throughput.avg.pct_of_peak_sustained_active", 81}})),
              HasSubstr("L2 binds: 0.81\n"));
  EXPECT_THAT(told(product({{"l1tex__throughput.avg.pct_of_peak_sustained_active", 93}})),
              HasSubstr("L1 binds: 0.93\n"));
}

// A low hit rate alone is no finding, because a kernel that streams has no hits.
TEST(CounterRules, FewHitsMatterWhereTheLevelBehindIsBusyWithMoreThanTheNominalBytes) {
  const Workload w = nominal(100'663'296);
  const std::string l2 = "lts__throughput.avg.pct_of_peak_sustained_active";
  EXPECT_THAT(told(product(), &w), Not(HasSubstr("few hits")));
  EXPECT_THAT(told(product({{l2, 65}}), &w), HasSubstr("few hits in L1: 0.205 15.89\n"));
  const Workload all = nominal(1'600'000'000);
  EXPECT_THAT(told(product({{l2, 65}}), &all), Not(HasSubstr("few hits")));
  EXPECT_THAT(told(product({{"lts__t_sector_hit_rate.pct", 30},
                            {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 70},
                            {"dram__bytes_read.sum", 3e8}}),
                   &w),
              HasSubstr("few hits in L2: 0.3 3.314\n"));
}

TEST(CounterRules, WhatLimitsTheOccupancyIsNamed) {
  EXPECT_THAT(told(product()),
              HasSubstr("low occupancy: registers and shared memory: 0.1875 1 168\n"));
  EXPECT_THAT(told(product()), Not(HasSubstr("occupancy not reached")));
  EXPECT_THAT(told(product({{"launch__occupancy_limit_registers", 3},
                            {"launch__occupancy_limit_shared_mem", 2}})),
              HasSubstr("low occupancy: shared memory: 0.1875 2 168\n"));
  const std::string most = "sm__maximum_warps_per_active_cycle_pct";
  EXPECT_THAT(told(product({{most, 80}})), Not(HasSubstr("low occupancy")));
  EXPECT_THAT(told(product({{"sm__throughput.avg.pct_of_peak_sustained_elapsed", 80}})),
              Not(HasSubstr("low occupancy")))
      << "who is busy has warps enough";
  EXPECT_THAT(
      told(product({{most, 100}, {"sm__warps_active.avg.pct_of_peak_sustained_active", 90}})),
      HasSubstr("occupancy not reached: 0.9 1\n"));
}

TEST(CounterRules, LevelsStandBesideTheirCeilingsWithMatrixOperations) {
  const HierarchicalRoofline r = hierarchical_roofline(product());
  ASSERT_EQ(r.matrix.size(), 1u) << "f16 was counted and was not used";
  EXPECT_EQ(r.matrix[0].type, "bf16");
  EXPECT_EQ(r.matrix[0].flops, 2.0 * 4096 * 4096 * 4096);
  EXPECT_NEAR(r.dram_reads, 2.0 / 3, 1e-9);
  const DeviceFacts facts = measured_h200();
  EXPECT_THAT(told(product(), nullptr, &facts),
              HasSubstr("levels: 4e+09 2e+13 0.6061 1.6e+09 8e+12 0.7692 1.007e+08 5.033e+11 0.118 "
                        "1.374e+11 6.872e+14 "
                        "0.7635 1365 85.9 34.36\n"));
  EXPECT_THAT(told(product({{"lts__t_bytes.sum", 1.75e9}}), nullptr, &facts),
              HasSubstr("levels: L2 binds: "));
  EXPECT_THAT(told(product(), nullptr, &facts), Not(HasSubstr("levels: L2")));
  const DeviceFacts unknown;
  EXPECT_THAT(told(product(), nullptr, &unknown),
              HasSubstr("levels: 4e+09 2e+13 1.6e+09 8e+12 1.007e+08 5.033e+11 "));
}

TEST(CounterRules, EveryCounterThatARuleReadsIsAskedFor) {
  const auto asked = ncu_metrics();
  for (const auto& [name, value] : product().counters)
    EXPECT_NE(std::find(asked.begin(), asked.end(), name), asked.end()) << name;
}

}  // namespace
}  // namespace kw::profile
