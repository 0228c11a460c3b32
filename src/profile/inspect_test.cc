// Profile and sanitizer through the profile jail, with scripts in the place of ncu,
// compute-sanitizer and the specimen: what they print is written here after the documented formats.
// SPDX-License-Identifier: Apache-2.0
#include "profile/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "platform/jail.h"
#include "record/finding_for_test.h"

namespace kw::profile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kReport =
    "kw-specimen: {\"failure\":\"\",\"step_ns\":[1000,100,1000,100,1000,100]}";
constexpr const char* kTable = R"csv(
"ID","Process ID","Process Name","Kernel Name","Block Size","Grid Size","dram__bytes_read.sum","gpu__time_duration.sum","smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio"
"","","","","","","byte","ns","byte/sector"
"0","7","kw-specimen","update(float *)","(256, 1, 1)","(8, 1, 1)","4096","900","4"
"1","7","kw-specimen","sources(float *)","(32, 1, 1)","(1, 1, 1)","128","90","32"
)csv";

NcuPermission everybody() { return {.is_allowed = true, .why = "Yes."}; }
NcuPermission nobody() { return {.why = "Nobody may read counters here."}; }

/// Fixture with a plan of six launches: three time steps, each of which launches two kernels.
class Inspect : public testing::Test {
 protected:
  void SetUp() override {
    if (!platform::probe_jail().ns.available && !platform::probe_jail().landlock.available)
      GTEST_SKIP() << "no jail works here";
    ::chmod(folder_.path().c_str(), 0755);
    workload_.name = "cube";
    for (int t = 0; t < 3; ++t)
      for (const char* kernel : {"update", "sources"}) {
        PlanStep step;
        step.kernel = kernel;
        plan_.steps.push_back(step);
      }
    script("object.cubin", "");
    unit_.object.emplace_back().path = (folder_.path() / "object.cubin").string();
    unit_.files = {{"twice.cu", "one\ntwo\nthree = x[n];\n"}};
    room_.gpu = &surroundings_;
    room_.jail = platform::probe_jail().best();
    room_.ops_path = room_.player_path = room_.control.path = unit_.object.front().path;
    room_.program = script("specimen", std::string("echo '") + kReport + "'");
    tools_.permission = everybody;
    unset("KW_NCU"), unset("KW_SANITIZER");
  }
  void TearDown() override { ::unsetenv("KW_NCU"), ::unsetenv("KW_SANITIZER"); }

  void unset(const char* variable) { ::setenv(variable, "/nowhere/at/all", 1); }

  /// Writes an executable script; "$@" are its arguments.
  platform::Path script(const std::string& name, const std::string& body) {
    const platform::Path path = folder_.path() / name;
    std::ofstream(path) << "#!/bin/bash\n" << body << "\n";
    ::chmod(path.c_str(), 0755);
    return path;
  }
  void ncu(const std::string& body) { ::setenv("KW_NCU", script("ncu", body).c_str(), 1); }
  void sanitizer(const std::string& body) {
    ::setenv("KW_SANITIZER", script("compute-sanitizer", body).c_str(), 1);
  }
  std::string table() { return "cat <<'EOF'\n" + std::string(kTable) + "EOF\n"; }
  WorkloadProfile profile() {
    return profile_workload(room_, {&unit_, &workload_, &plan_}, tools_);
  }
  Sanitized sanitize() { return sanitize_workload(room_, {&unit_, &workload_, &plan_}, tools_); }

  platform::TempDir folder_ = *platform::TempDir::create("kw-inspect-test");
  device::CudaSurroundings surroundings_;
  SpecimenRoom room_;
  Workload workload_;
  Plan plan_;
  BuildUnit unit_;
  Tools tools_;
};

TEST_F(Inspect, CountersAreJoinedToTheTimesOfTheLaunches) {
  ncu("case \"$*\" in *--version*) echo 'Version 2025.3.1.0 (build 1)'; exit;; esac\n"
      "while [ \"$1\" != --metrics ]; do shift; done; shift 2\n"
      // The middle launch of each kernel is marked.
      "grep -q '\"marked\":\\[2,3\\]' \"$2\" || exit 9\n"
      "\"$@\"\n" +
      table());
  const WorkloadProfile p = profile();
  EXPECT_EQ(p.note, "");
  EXPECT_EQ(p.counters_by, "Nsight Compute 2025.3.1.0");
  ASSERT_EQ(p.kernels.size(), 2u);
  EXPECT_EQ(p.kernels[0].kernel, "update");
  EXPECT_EQ(p.kernels[0].launches, 3);
  EXPECT_EQ(p.kernels[0].total_ns, 3000);
  EXPECT_EQ(p.kernels[0].get("dram__bytes_read.sum"), 4096);
  EXPECT_EQ(p.kernels[1].total_ns, 300);
  EXPECT_EQ(p.kernels[1].get("gpu__time_duration.sum"), 90);
  const std::vector<Finding> told = profile_findings(p, workload_, {});
  EXPECT_THAT(told,
              Contains(IsAbout("share of the call",
                               ElementsAre(3000, 3, 1000, testing::DoubleNear(0.909, 1e-3)))));
  EXPECT_THAT(told, Contains(IsAbout("scattered loads", ElementsAre(4, 32))));
}

TEST_F(Inspect, WithoutNcuTheLaunchesAreTimedAllTheSame) {
  const WorkloadProfile p = profile();
  EXPECT_EQ(p.about, "no counters: no ncu");
  EXPECT_EQ(p.kernels[0].total_ns, 3000);
  EXPECT_THAT(p.kernels[0].counters, IsEmpty());
  EXPECT_EQ(profile_findings(p, workload_, {}).back().kind, FindingKind::Note);
  EXPECT_THAT(profile_findings(p, workload_, {}).back(), IsAbout(p.about));
}

TEST_F(Inspect, WithoutPermissionNcuIsNotStarted) {
  ncu("echo started >&2; " + table());
  tools_.permission = nobody;
  const WorkloadProfile p = profile();
  EXPECT_EQ(p.about, "no counters: no permission");
  EXPECT_THAT(p.note, HasSubstr(nobody().why));
}

TEST_F(Inspect, ARefusalOfTheDriverIsANote) {
  ncu("echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission'; exit 1");
  const WorkloadProfile p = profile();
  EXPECT_EQ(p.about, "no counters: refused");
  EXPECT_THAT(p.note, HasSubstr("ERR_NVGPUCTRPERM - The user does not have permission"));
  EXPECT_EQ(p.kernels[1].total_ns, 300);
}

TEST_F(Inspect, MetricsThatThisGpuLacksAreLeftOutAtASecondTry) {
  ncu("case \"$*\" in *--query-metrics*) echo 'dram__bytes_read  Counter  byte'; exit;;\n"
      "*stalled*) echo '==ERROR== Failed to find metric'; exit 1;; esac\n" +
      table());
  const WorkloadProfile p = profile();
  EXPECT_EQ(p.note, "");
  EXPECT_EQ(p.kernels[0].get("dram__bytes_read.sum"), 4096);
}

TEST_F(Inspect, AHangEndsInTime) {
  ncu("sleep 1000");
  tools_.profile_timeout = std::chrono::seconds(2);
  const WorkloadProfile p = profile();
  EXPECT_EQ(p.about, "no counters: timed out");
  EXPECT_THAT(p.numbers, ElementsAre(2e9));
  EXPECT_THAT(profile_findings(p, workload_, {}).back(), IsAbout(p.about, ElementsAre(2e9)));
}

TEST_F(Inspect, GarbageAndFloodsAreNotes) {
  ncu("head -c 100000 /dev/urandom; exit 3");
  const WorkloadProfile p = profile();
  EXPECT_EQ(p.about, "no counters: exit code");
  EXPECT_THAT(p.numbers, ElementsAre(3));
  ncu("yes '\"Kernel Name\",\"a__b\"' | head -c 40000000");
  EXPECT_THAT(profile().about, testing::StartsWith("no counters: "));
}

TEST_F(Inspect, ASpecimenThatFailsEndsTheProfile) {
  ncu("echo started >&2");
  room_.program = script("specimen", "echo 'kw-specimen: {\"failure\":\"the plan: error 700\"}'");
  WorkloadProfile p = profile();
  EXPECT_EQ(p.about, "not timed: failed");
  EXPECT_THAT(p.note, HasSubstr("the plan: error 700"));
  room_.program = script("specimen", "kill -SEGV $$");
  p = profile();
  EXPECT_EQ(p.about, "not timed: signal");
  EXPECT_THAT(p.numbers, ElementsAre(SIGSEGV));
  room_.program = folder_.path() / "missing";
  EXPECT_THAT(profile().about, testing::StartsWith("not timed: "));
}

/// A script that prints what each tool would print about a candidate and about its control.
std::string every_control(const std::string& errors = "") {
  return "while [ \"$1\" != --tool ]; do shift; done; tool=$2\n"
         "echo '========= COMPUTE-SANITIZER'\n" +
         errors +
         "echo '========= Invalid __global__ write of size 4 bytes'\n"
         "echo \"=========     at kw_control_$tool+0x80 in control.cu:7\"\n"
         "echo '========= ERROR SUMMARY: 1 error'\n";
}

TEST_F(Inspect, EveryToolPassesOnlyWithItsControl) {
  sanitizer(every_control());
  Sanitized s = sanitize();
  ASSERT_EQ(s.passes.size(), 4u);
  for (const SanitizerPass& pass : s.passes) {
    EXPECT_FALSE(pass.is_void) << pass.tool;
    EXPECT_EQ(pass.errors, 0);
    EXPECT_EQ(pass.workload, "cube");
  }
  EXPECT_EQ(s.passes[3].tool, "synccheck");
  ASSERT_THAT(s.findings, testing::SizeIs(1));
  EXPECT_THAT(s.findings[0], IsAbout("clean"));
  sanitizer("echo '========= ERROR SUMMARY: 0 errors'");
  s = sanitize();
  EXPECT_TRUE(s.passes[0].is_void);
  EXPECT_THAT(s.findings, Contains(IsAbout("memcheck does not work")));
  EXPECT_THAT(s.findings, Not(Contains(IsAbout("clean"))));
}

TEST_F(Inspect, ErrorsOfTheCandidateCarryItsSource) {
  sanitizer(
      every_control("if [ $tool = racecheck ]; then echo '========= Error: Race reported "
                    "between Write access at twice+0x10 in twice.cu:3 and Read access at "
                    "twice+0x20 in twice.cu:2'; fi\n"));
  const Sanitized s = sanitize();
  EXPECT_EQ(s.passes[1].errors, 1);
  ASSERT_THAT(s.findings, testing::SizeIs(2));
  EXPECT_EQ(s.findings[0].place, "twice.cu:3");
  EXPECT_THAT(s.findings[0].frame, HasSubstr("three = x[n];"));
}

TEST_F(Inspect, ASanitizerThatHangsOrIsMissingIsANote) {
  EXPECT_THAT(sanitize().findings, ElementsAre(IsAbout("not sanitized: no tool")));
  sanitizer("sleep 1000");
  tools_.sanitize_timeout = std::chrono::milliseconds(500);
  const Sanitized s = sanitize();
  ASSERT_EQ(s.passes.size(), 4u);
  EXPECT_TRUE(s.passes[2].is_void);
  EXPECT_THAT(s.findings, Contains(IsAbout("initcheck does not work", ElementsAre(5e8))));
}

TEST_F(Inspect, TheProfileJailShowsTheToolsFolderAndHasAFolderOfItsOwn) {
  const platform::Path tool =
      script("tool",
             "echo x > $HOME/file && cat $HOME/file; ls /root /home 2>&1 | head -2; "
             "echo y > /etc/z 2>&1; [ -w $TMPDIR ] && echo writable");
  const auto ran =
      run_alone(room_, {.words = {tool.string()}, .timeout = std::chrono::seconds(60)});
  ASSERT_TRUE(ran.has_value()) << describe(ran.error());
  EXPECT_THAT(ran->exit.out, HasSubstr("x\n"));
  EXPECT_THAT(ran->exit.out, HasSubstr("writable"));
  EXPECT_FALSE(std::filesystem::exists("/etc/z"));
}

TEST_F(Inspect, WorksAtEveryLevelOfTheJail) {
  ncu(table());
  sanitizer(every_control());
  for (const JailLevel level : {JailLevel::Namespace, JailLevel::Landlock, JailLevel::None}) {
    if (!platform::probe_jail().at(level).available) {
      std::printf("SKIPPED: jail level %s\n", std::string(name_of(level)).c_str());
      continue;
    }
    room_.jail = level;
    EXPECT_EQ(profile().note, "") << name_of(level);
    EXPECT_FALSE(sanitize().passes.at(0).is_void) << name_of(level);
  }
}

TEST(SpecimenReport, IsFoundAmongWhatToolsPrint) {
  const SpecimenReport report{.failure = "two\nlines", .step_ns = {1, 2.5}};
  const auto found = find_report("==PROF== begin" + report_line(report) + "==PROF== end\n");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->failure, "two\nlines");
  EXPECT_THAT(found->step_ns, testing::ElementsAre(1, 2.5));
  EXPECT_FALSE(find_report("kw-specimen: {").has_value());
  EXPECT_FALSE(find_report("").has_value());
}

}  // namespace
}  // namespace kw::profile
