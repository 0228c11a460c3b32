// Permission, command line, output and rules of Nsight Compute. The samples are written after the
// documented format, by hand.
// SPDX-License-Identifier: Apache-2.0
#include "profile/ncu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"
#include "profile/findings_for_test.h"
#include "profile/ncu_rules.h"

namespace kw::profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kSample[] = R"csv(==PROF== Connected to process 4242
==PROF== Profiling "softmax": 0%....100% - 9 passes
"ID","Process ID","Process Name","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum","dram__bytes_read.sum","launch__registers_per_thread","l1tex__t_sector_hit_rate.pct"
"","","","","","","us","Mbyte","register/thread","%"
"0","4242","kw-player-cuda","softmax(float const *, float *, int)","(256, 1, 1)","(4,096, 1, 1)","45.5","1,234.5","40","12.25"
"1","4242","kw-player-cuda","say ""hi""","(32, 1, 1)","(1, 1, 1)","2","n/a","16","0"
==PROF== Disconnected from process 4242
)csv";

TEST(Ncu, ReadsItsCsv) {
  const auto kernels = parse_ncu_csv(kSample);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kernel, "softmax(float const *, float *, int)");
  EXPECT_EQ(kernels[0].get("gpu__time_duration.sum"), 45500);
  EXPECT_EQ(kernels[0].get("dram__bytes_read.sum"), 1234.5e6);
  EXPECT_EQ(kernels[0].get("launch__registers_per_thread"), 40);
  EXPECT_EQ(kernels[0].get("l1tex__t_sector_hit_rate.pct"), 12.25);
  EXPECT_FALSE(kernels[0].get("Process ID").has_value());
  EXPECT_EQ(kernels[1].kernel, "say \"hi\"");
  EXPECT_FALSE(kernels[1].get("dram__bytes_read.sum").has_value());
}

TEST(Ncu, ATableWithoutUnitsIsReadAsWell) {
  const auto kernels = parse_ncu_csv("\"Kernel Name\",\"sm__inst_executed.sum\"\n\"k\",\"7\"\n");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].get("sm__inst_executed.sum"), 7);
}

TEST(Ncu, GarbageGivesNothingAndNoHarm) {
  for (const char* text : {"", "\"", "\"Kernel Name\"", "\"Kernel Name\"\n\"\"\n\"a\",\"b\"\n",
                           "\"a__b\",\"c\"\n\"1\",\"2\"\n", "==ERROR== no permission\n"})
    EXPECT_THAT(parse_ncu_csv(text), IsEmpty()) << text;
  // Reads every prefix of the sample, and the sample with each byte overwritten in turn.
  const std::string sample = kSample;
  for (std::size_t n = 0; n < sample.size(); ++n) {
    EXPECT_LE(parse_ncu_csv(sample.substr(0, n)).size(), 2u);
    std::string broken = sample;
    broken[n] = n % 2 == 0 ? '"' : '\n';
    EXPECT_LE(parse_ncu_csv(broken).size(), 4u);
  }
}

TEST(Ncu, PermissionIsReadBeforehand) {
  const char* user = "Name:\tkw\nCapEff:\t0000000000000000\n";
  const char* root = "Name:\tkw\nCapEff:\t000001ffffffffff\n";
  EXPECT_TRUE(ncu_permission_of("RmProfilingAdminOnly: 0\n", user).is_allowed);
  EXPECT_TRUE(ncu_permission_of("A: 1\nRmProfilingAdminOnly: 1\n", root).is_allowed);
  const NcuPermission refused = ncu_permission_of("RmProfilingAdminOnly: 1\n", user);
  EXPECT_FALSE(refused.is_allowed);
  EXPECT_THAT(refused.why, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_FALSE(refused.needs_admin);
  EXPECT_TRUE(ncu_permission_of("RmProfilingAdminOnly: 1\n", root).needs_admin);
  EXPECT_FALSE(ncu_permission_of("", root).is_known);
  EXPECT_FALSE(ncu_permission_of("", root).is_allowed);
  EXPECT_FALSE(ncu_permission_of("RmProfilingAdminOnly: 1\n", "").is_allowed);
}

TEST(Ncu, AsksForWhatThereIs) {
  constexpr std::string_view kWanted[]{"dram__bytes_read.sum", "launch__registers_per_thread",
                                       "smsp__gone.pct"};
  EXPECT_THAT(available_metrics("Device NVIDIA H200 (GH100)\n----\n"
                                "dram__bytes_read      Counter  byte  # of bytes read from DRAM\n",
                                kWanted),
              ElementsAre("dram__bytes_read.sum", "launch__registers_per_thread"));
  EXPECT_EQ(available_metrics("nothing", kWanted).size(), 3u);
  const std::set<std::string_view> once(ncu_metrics().begin(), ncu_metrics().end());
  EXPECT_EQ(once.size(), ncu_metrics().size());
}

TEST(Ncu, LeavesClocksAndCachesAlone) {
  const auto command = ncu_command("/x/ncu", {"a__b.sum", "c__d.pct"});
  const auto has = [&](const char* flag, const char* value) {
    const auto at = std::find(command.begin(), command.end(), flag);
    return at != command.end() && at + 1 != command.end() && *(at + 1) == value;
  };
  EXPECT_EQ(command[0], "/x/ncu");
  EXPECT_TRUE(has("--clock-control", "none"));
  EXPECT_TRUE(has("--cache-control", "none"));
  EXPECT_TRUE(has("--profile-from-start", "off"));
  EXPECT_TRUE(has("--metrics", "a__b.sum,c__d.pct"));
}

TEST(Ncu, SaysItsVersionAndWhatWentWrong) {
  EXPECT_EQ(ncu_version_of("NVIDIA (R) Nsight Compute\nVersion 2025.3.1.0 (build 1) (public)\n"),
            "2025.3.1.0");
  EXPECT_EQ(ncu_version_of("what"), "");
  EXPECT_EQ(
      ncu_complaint("==PROF== x\n==ERROR== ERR_NVGPUCTRPERM - no permission\n==ERROR== two\n"),
      "ERR_NVGPUCTRPERM - no permission; two");
  EXPECT_EQ(ncu_complaint("all is well"), "");
  EXPECT_LE(ncu_complaint("==ERROR== " + std::string(10'000, 'x')).size(), 1000u);
}

KernelProfile bad_kernel() {
  KernelProfile k;
  k.kernel = "k";
  k.counters = {{"dram__throughput.avg.pct_of_peak_sustained_elapsed", 40},
                {"sm__throughput.avg.pct_of_peak_sustained_elapsed", 20},
                {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 100},
                {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 3200},
                {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", 4},
                {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio", 32},
                {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 50},
                {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 100},
                {"dram__bytes_read.sum", 3e9},
                {"dram__bytes_write.sum", 1e9},
                {"smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct", 65},
                {"smsp__warp_issue_stalled_barrier_per_warp_active.pct", 5},
                {"sm__warps_active.avg.pct_of_peak_sustained_active", 30},
                {"sm__maximum_warps_per_active_cycle_pct", 100},
                {"smsp__sass_average_branch_targets_threads_uniform.pct", 70},
                {"gpu__time_duration.sum", 1e6},
                {"l1tex__t_bytes.sum", 8e9},
                {"lts__t_bytes.sum", 6e9},
                {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 1e9}};
  return k;
}

std::string text_of(const std::vector<Finding>& findings) { return in_short(findings); }

TEST(CounterRules, SayWhatIsWrongInOrder) {
  Workload w;
  w.name = "large", w.work.read_bytes = w.work.write_bytes = 1'000'000'000;
  const KernelProfile k = bad_kernel();
  const auto findings = counter_findings({&k, 1}, &w);
  const std::string text = text_of(findings);
  EXPECT_THAT(findings[0], IsAbout("latency binds", ElementsAre(0.4, 0.2)));
  EXPECT_THAT(findings[1], IsAbout("scattered loads", ElementsAre(4, 32, 32)));
  EXPECT_THAT(text, Not(HasSubstr("stores")));
  EXPECT_THAT(text, HasSubstr("bank conflicts: 0.5\n"));
  EXPECT_THAT(text, HasSubstr("more than nominal bytes: 4e+09 2\n"));
  EXPECT_THAT(text, HasSubstr("stall: long_scoreboard: 0.65\n"));
  EXPECT_THAT(text, Not(HasSubstr("stall: barrier")));
  EXPECT_THAT(text, HasSubstr("occupancy not reached: 0.3 1\n"));
  EXPECT_THAT(text, HasSubstr("divergent branches: 0.7\n"));
  EXPECT_THAT(text, HasSubstr("levels: 8e+09 8e+12 6e+09 6e+12 4e+09 4e+12 "));
  EXPECT_THAT(text, HasSubstr(" 2e+09 2e+12 0.5 0.3333 0.25\n"));
}

TEST(CounterRules, AGoodKernelHasOnlyItsFacts) {
  KernelProfile k = bad_kernel();
  k.counters["dram__throughput.avg.pct_of_peak_sustained_elapsed"] = 92;
  for (const char* gone :
       {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "sm__maximum_warps_per_active_cycle_pct",
        "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct",
        "smsp__sass_average_branch_targets_threads_uniform.pct"})
    k.counters.erase(gone);
  const auto findings = counter_findings({&k, 1}, nullptr);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_THAT(findings[0], IsAbout("memory binds"));
  EXPECT_THAT(counter_findings({}, nullptr), IsEmpty());
}

TEST(CounterRules, TheLongestLaunchComesFirst) {
  KernelProfile brief = bad_kernel(), lengthy = bad_kernel();
  brief.kernel = "brief", lengthy.kernel = "lengthy";
  lengthy.counters["gpu__time_duration.sum"] = 9e6;
  const KernelProfile both[]{brief, lengthy};
  const auto findings = counter_findings(both, nullptr);
  EXPECT_EQ(findings[0].place, "lengthy");
  EXPECT_THAT(findings[0], IsAbout("share of the call", ElementsAre(9e6, 0.9)));
}

TEST(CounterRules, ManyLaunchesOfAKernelCountTogether) {
  KernelProfile update = bad_kernel(), sources = bad_kernel();
  update.kernel = "update", update.launches = 50, update.total_ns = 9e6;
  sources.kernel = "sources", sources.launches = 50, sources.total_ns = 1e6;
  sources.counters.clear();
  const KernelProfile both[]{sources, update};
  const auto findings = counter_findings(both, nullptr);
  EXPECT_EQ(findings[0].place, "update");
  EXPECT_TRUE(in_short(findings).starts_with("share of the call: 9e+06 50 1.8e+05 0.9\n"))
      << in_short(findings);
  EXPECT_THAT(text_of(findings), HasSubstr("share of the call: 1e+06 50 2e+04 0.1\n"));
}

}  // namespace
}  // namespace kw::profile
