// Which findings an evaluation gets, in which order.
// SPDX-License-Identifier: Apache-2.0
#include "profile/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "profile/findings_for_test.h"
#include "profile/kernel_rules.h"

namespace kw::profile {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string all(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& f : findings) out += std::string(name_of(f.kind)) + "|" + in_short({f});
  return out;
}

Evaluation correct() {
  Evaluation e;
  e.verdict = {Stage::Measure, Outcome::Correct, ""};
  e.speedup = {2, 1.9, 2.1, 0.995, "omp", 0.01, true};
  e.roofline_fraction = 0.5;
  WorkloadResult w;
  w.name = "large", w.group = Group::Time, w.median_ns = 1e6, w.bytes_per_s = 3e10;
  w.roofline = {0.5, Bound::Memory, 6e10, "DRAM", "Memory-bound at 0.50."};
  w.speedup = {2, 1.9, 2.1, 0.995, "omp", 0.01, true};
  e.workloads = {w};
  return e;
}

BuildUnit unit() {
  BuildUnit u;
  u.main_file = "c.cpp";
  u.files = {{"c.cpp", "void f() {\n  for (;;) {}\n}\n"}};
  u.object.emplace_back().log =
      "loop 2:3 scalar the loop calls expf, which has no vector form on this processor\nloop 3:1 "
      "vectorized 64\n";
  return u;
}

TEST(Rules, ACorrectOneIsToldSpeedRooflineLoopsAndGoals) {
  Task task;
  task.goals.speedup = 3;
  task.goals.roof = 0.4;
  const BuildUnit built = unit();
  const auto findings = explain(correct(), {&task, &built});
  const std::string text = all(findings);
  EXPECT_THAT(text, HasSubstr("goal|speedup missed: 3 1.5\n"));
  EXPECT_THAT(text, HasSubstr("goal|roof reached: 0.4\n"));
  EXPECT_THAT(text, HasSubstr("history|faster than: 2 1.9 2.1 0.995 0.01\n"));
  EXPECT_THAT(text, HasSubstr("roofline|roofline: 1e+06 3e+10\n"));
  EXPECT_THAT(text, HasSubstr("vectorization|the loop calls expf, which has no vector form on "
                              "this processor: 2\n"));
  EXPECT_THAT(text, HasSubstr("vectorization|: 1 64\n"));
  for (std::size_t i = 0; i < findings.size(); ++i)
    EXPECT_EQ(findings[i].rank, static_cast<int>(i) + 1);
  const auto loop = std::find_if(findings.begin(), findings.end(),
                                 [](const Finding& f) { return f.place == "c.cpp:2:3"; });
  ASSERT_NE(loop, findings.end());
  EXPECT_THAT(loop->frame, HasSubstr("for (;;)"));
}

// GCC reports loops that it made itself, at the line of a plain statement or of a directive.
TEST(Rules, OnlyLinesWithALoopAreCalledLoops) {
  BuildUnit built = unit();
  built.files.front().text =
      "void f(int n, float* y) {\n"
      "  y[0] = y[1];\n"
      "#pragma omp parallel for\n"
      "  for (int i = 0; i < n; ++i)\n"
      "    y[i] = y[i / 2];\n"
      "}\n";
  built.object.front().log =
      "loop 2:8 scalar its pointers may overlap\nloop 3:9 scalar multiple exits\n"
      "loop 4:21 scalar multiple exits\nloop 5:5 scalar multiple exits\n";
  const std::string text = all(explain(correct(), {.unit = &built}));
  EXPECT_THAT(text, HasSubstr("vectorization|multiple exits: 4\n"));
  EXPECT_EQ(text.find("vectorization|"), text.rfind("vectorization|")) << "each loop once";
}

TEST(Rules, OfKernelsThatNoTimedWorkloadLaunchesNothingIsSaid) {
  GpuFacts gpu;
  gpu.arch = "sm_90a", gpu.multiprocessors = 132;
  BuildUnit built = unit();
  built.role = "candidate";
  for (const char* name : {"gemm_fast", "gemm_any"}) {
    KernelFacts& kernel = built.object.front().kernels.emplace_back();
    kernel.name = name, kernel.registers = 64;
  }
  const auto plan_of = [](const char* kernel, const char* workload, std::int64_t blocks) {
    PlanStep step;
    step.kernel = kernel, step.grid = {blocks, 1, 1}, step.block = {256, 1, 1};
    RolePlan plan;
    plan.role = "candidate", plan.workload = workload, plan.plan.steps = {step};
    return plan;
  };
  EvaluationRequest request;
  request.workloads.resize(2);
  request.workloads[0].name = "hidden", request.workloads[0].group = Group::Check;
  request.workloads[1].name = "large", request.workloads[1].group = Group::Time;
  request.plans = {plan_of("gemm_any", "hidden", 15), plan_of("gemm_fast", "large", 40)};
  const auto timed = timed_plans(request);
  Evaluation e = correct();
  e.findings = {{FindingKind::Resource, 1, "gemm_any: 255 registers per thread.", "", "gemm_any",
                 MismatchPattern::None, "of gemm_any"},
                {FindingKind::Resource,
                 2,
                 "gemm_fast: 64 registers per thread.",
                 "",
                 "gemm_fast",
                 MismatchPattern::None,
                 "of gemm_fast",
                 {64}}};
  const Facts facts{.unit = &built, .gpu = &gpu, .plans = timed};
  const std::string text = all(explain(e, facts));
  EXPECT_THAT(text, HasSubstr("idle multiprocessors: 40 132 "));
  EXPECT_THAT(text, HasSubstr("of gemm_fast: 64\n"));
  EXPECT_THAT(text, Not(HasSubstr("of gemm_any")));
  // Registers of a kernel that no timed workload launches hardly explain the failure, so this
  // finding is last.
  e.verdict = {Stage::Check, Outcome::WrongResult, "elements are wrong"};
  const auto findings = explain(e, facts);
  EXPECT_THAT(findings.back(), IsAbout("of gemm_any"));
}

TEST(Rules, AFailureComesFirstAndItsDiagnosticsNext) {
  Evaluation e;
  e.verdict = {Stage::Compile, Outcome::CompileFailed, "c.cpp:1:1: no"};
  e.findings = {{FindingKind::Warning, 2, "Warning: b", "", "c.cpp:2:1"},
                {FindingKind::Diagnostic, 1, "a", "frame", "c.cpp:1:1"}};
  const BuildUnit built = unit();
  const auto findings = explain(e, {nullptr, &built});
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].kind, FindingKind::Verdict);
  EXPECT_THAT(findings[0], IsAbout("compile_failed"));
  EXPECT_EQ(findings[1].kind, FindingKind::Diagnostic);
  EXPECT_EQ(findings[1].place, "c.cpp:1:1");
  EXPECT_EQ(findings[1].frame, "frame");
  EXPECT_EQ(findings[2].kind, FindingKind::Warning);
}

TEST(Rules, SlowerAndUndecidedAreSaidAsTheyAre) {
  Evaluation e = correct();
  e.speedup = {0.5, 0.4, 0.6, 0.995, "omp", 0.01, false};
  EXPECT_THAT(all(explain(e, {})), HasSubstr("history|slower than: 0.5 "));
  e.speedup = {1.0, 0.9, 1.1, 0.995, "omp", 0.01, false};
  EXPECT_THAT(all(explain(e, {})), HasSubstr("history|not distinguishable from: 1 "));
}

TEST(Rules, ShapesThatDifferAreNamed) {
  Evaluation e = correct();
  EXPECT_THAT(all(explain(e, {})), Not(HasSubstr("shapes differ")));
  e.workloads.push_back(e.workloads[0]);
  e.workloads[1].name = "small", e.workloads[1].speedup.value = 1.2;
  EXPECT_THAT(all(explain(e, {})), HasSubstr("history|shapes differ: 1.2 2\n"));
}

TEST(Rules, NothingKnownNothingSaidAndTheLimitHolds) {
  Evaluation e;
  e.verdict = {Stage::Check, Outcome::Correct, ""};
  EXPECT_THAT(explain(e, {}), IsEmpty());
  for (int i = 0; i < 100; ++i) e.findings.push_back({FindingKind::Mismatch, i, "m", "", ""});
  EXPECT_EQ(explain(e, {}).size(), 24u);
  EXPECT_EQ(explain(e, {}, 5).size(), 5u);
}

TEST(Rules, OthersOnTheGpuAndAClockThatIsHeldDownAreTold) {
  Evaluation e;
  GpuMoment before, after;
  before.foreign = {"python3 (4711)"};
  after.foreign = {"python3 (4711)", "blender (9)"};
  after.throttled_by = {"power cap"};
  e.moments = {before, after};
  std::string all;
  for (const Finding& f : explain(e, {})) all += f.about + "|" + f.text + "\n";
  EXPECT_THAT(all, testing::ContainsRegex("other processes\\|[^|]*python3 .4711., blender .9."));
  EXPECT_THAT(all, testing::ContainsRegex("clock held down\\|[^|]*power cap"));
}

TEST(Rules, TimesOnASliceOfAGpuSaySo) {
  Evaluation e;
  e.verdict = {Stage::Check, Outcome::Correct, ""};
  GpuFacts gpu;
  gpu.is_mig = true;
  EXPECT_THAT(explain(e, {.gpu = &gpu}), IsEmpty()) << "nothing was timed";
  e.verdict.stage = Stage::Measure;
  ASSERT_EQ(explain(e, {.gpu = &gpu}).size(), 1u);
  EXPECT_THAT(explain(e, {.gpu = &gpu})[0], IsAbout("mig slice"));
  gpu.is_mig = false;
  EXPECT_THAT(explain(e, {.gpu = &gpu}), IsEmpty());
}

}  // namespace
}  // namespace kw::profile
