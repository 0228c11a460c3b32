// A task's workbench for target cuda: sources by target, units with plans, knobs that a device
// rules out, and candidates that cannot be launched.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "device/known_devices.h"
#include "engine/task_workbench.h"
#include "engine/written.h"
#include "task/device_names.h"
#include "task/header.h"
#include "task/load.h"

namespace kw::engine {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kKernel =
    "// kw: tune BLOCK = 128, 256\n"
    "// kw: tune KIB = 32, 96, 400\n"
    "// kw: launch twice grid(ceil_div(n, BLOCK)) block(BLOCK) shared(KIB * 1024) args(n, x, y)\n"
    "extern \"C\" __global__ void twice(int n, const float* x, float* y) {}\n";

task::Definition twice(const std::string& baseline) {
  task::TaskFiles files{"tasks/twice", {}};
  files.texts["task.yaml"] =
      "name: twice\nfamily: elementwise\nsummary: y is 2 x\ndims: [n]\n"
      "scalars:\n  n: { dtype: i32 }\n"
      "tensors:\n  x: { dtype: f32, shape: [n], role: in, values: { kind: normal, mean: 0, std: 1 "
      "} "
      "}\n  y: { dtype: f32, shape: [n], role: out }\n"
      "signature: [n, x, y]\ngate: { kind: relative, c: 4, scale: 1 }\n"
      "work:\n  floor: { bytes: n, flops: n }\n"
      "  nominal: { read_bytes: n, write_bytes: n, flops: n, items: n }\n";
  files.texts["shapes.yaml"] =
      "show: [ { name: small, n: 10 } ]\ncheck: [ { name: hidden, n: 17 } ]\n"
      "time: [ { name: on_cpu, n: 1000, for: [cpu] }, { name: on_gpu, n: 2000, for: [cuda] } ]\n";
  files.texts["reference.cpp"] =
      "template <class Real>\nvoid reference(int n, const Real* x, Real* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n}\n";
  files.texts["baselines/omp.cpp"] = "void twice(int n, const float* x, float* y) {}\n";
  if (!baseline.empty()) files.texts["baselines/naive.cu"] = baseline;
  files.texts["candidates/001_mine.cpp"] = "void twice(int n, const float* x, float* y) {}\n";
  auto definition = task::parse_task(files);
  EXPECT_TRUE(definition) << definition.error().what;
  return std::move(*definition);
}

Result<TaskWorkbench> workbench(const std::string& arch, const std::string& baseline = kKernel) {
  TaskWorkbenchOptions options;
  options.target = Target::Cuda;
  options.gpu = {device::least_facts(arch)};
  options.max_bytes = 1 << 20;
  return TaskWorkbench::create(twice(baseline),
                               {{"10_rows.cpp", "void f();\n"}, {"20_plain.cu", kKernel}}, options);
}

Candidate candidate(const std::string& source) {
  return *task::make_candidate("mine", source, Origin::Human, {}, Target::Cuda);
}

TEST(CudaWorkbench, TakesOnlyWhatIsForTheTarget) {
  const auto bench = workbench("sm_90a");
  ASSERT_TRUE(bench) << bench.error().what;
  ASSERT_EQ(bench->ideas().size(), 1u) << "neither cpu kernels nor generic variants";
  EXPECT_EQ(bench->ideas()[0].name, "20_plain");
  ASSERT_EQ(bench->baselines().size(), 1u) << "the cpu's figures never mix with these";
  EXPECT_EQ(bench->baselines()[0].name, "naive");
  for (const Workload& w : bench->workloads()) EXPECT_NE(w.name, "on_cpu");
}

TEST(CudaWorkbench, ATaskIsForTheArchitecturesThatItNames) {
  TaskWorkbenchOptions options;
  options.target = Target::Cuda;
  options.gpu = {device::least_facts("sm_75")};
  options.max_bytes = 1 << 20;
  auto definition = twice(kKernel);
  definition.task.restrictions.archs = {"sm_80", "sm_90a"};
  const auto refused = TaskWorkbench::create(definition, {}, options);
  ASSERT_THAT(refused, IsErrorAbout(ErrorCode::Unsupported, "sm_75"));
  EXPECT_TRUE(refused.error().is_input);
  options.gpu = {device::least_facts("sm_80")};
  EXPECT_TRUE(TaskWorkbench::create(definition, {}, options).has_value());
}

TEST(CudaWorkbench, ARequestMixesUnitsAndCarriesAPlanForEachWorkload) {
  const auto bench = workbench("sm_90a");
  ASSERT_TRUE(bench);
  const auto request = bench->request(candidate(kKernel), &bench->baselines()[0]);
  ASSERT_TRUE(request) << request.error().what;
  EXPECT_THAT(request->plan_faults, IsEmpty());
  EXPECT_EQ(request->unit("reference_f64")->target, Target::Cpu);
  const BuildUnit* unit = request->unit("candidate");
  ASSERT_NE(unit, nullptr);
  EXPECT_EQ(unit->target, Target::Cuda);
  EXPECT_EQ(unit->arch, "sm_90a");
  EXPECT_THAT(unit->kernels, ElementsAre("twice"));
  for (const char* role : {"candidate", "opponent"})
    for (const char* workload : {"small", "hidden", "on_gpu"}) {
      const Plan* plan = request->plan(role, workload);
      ASSERT_NE(plan, nullptr) << role << " " << workload;
      EXPECT_EQ(plan->steps.size(), 1u);
    }
  EXPECT_EQ(request->plan("candidate", "on_gpu")->steps[0].grid[0], 16);
}

TEST(CudaWorkbench, KnobsWhosePlanDoesNotFitTheDeviceDoNotExist) {
  const auto large = workbench("sm_90a");
  const auto small = workbench("sm_75");
  ASSERT_TRUE(large && small);
  EXPECT_EQ(large->ideas()[0].space.valid_points(100).size(), 4u) << "400 KiB fit nowhere";
  EXPECT_EQ(small->ideas()[0].space.valid_points(100).size(), 2u) << "a T4 has 64 KiB";
}

TEST(CudaWorkbench, KernelsOfAnotherArchAreLeftOutWithWords) {
  const std::map<std::string, std::string> playbook = {
      {"20_plain.cu", kKernel},
      {"50_wgmma.cu", std::string("// kw: require arch == sm_90a\n") + kKernel}};
  TaskWorkbenchOptions options;
  options.target = Target::Cuda;
  options.max_bytes = 1 << 20;
  for (const bool has_it : {true, false}) {
    options.gpu = {device::least_facts(has_it ? "sm_90a" : "sm_100a")};
    const auto bench = TaskWorkbench::create(twice(kKernel), playbook, options);
    ASSERT_TRUE(bench) << bench.error().what;
    EXPECT_EQ(bench->ideas().size(), has_it ? 2u : 1u);
    if (has_it)
      EXPECT_THAT(bench->notices(), IsEmpty());
    else
      EXPECT_THAT(bench->notices(),
                  ElementsAre("50_wgmma is left out: it requires arch == sm_90a; this device "
                              "is sm_100a"));
  }
}

TEST(CudaWorkbench, OnlyWhatTheDeviceLacksIsNamed) {
  const std::string lines =
      "// kw: require sms >= 1\n// kw: require arch >= sm_100\n// kw: require KIB > 9 || arch > "
      "sm_75\n";
  const std::map<std::string, std::string> playbook = {
      {"50_newer.cu", lines + kKernel},
      {"60_large.cu", std::string(kKernel) + "// kw: require BLOCK * 1024 * 1024 <= shared_max\n"}};
  TaskWorkbenchOptions options;
  options.target = Target::Cuda;
  options.max_bytes = 1 << 20;
  options.gpu = {device::least_facts("sm_90a")};
  const auto bench = TaskWorkbench::create(twice(kKernel), playbook, options);
  ASSERT_TRUE(bench) << bench.error().what;
  EXPECT_THAT(
      bench->notices(),
      ElementsAre("50_newer is left out: it requires arch >= sm_100; this device is sm_90a",
                  "60_large is left out: no combination of its knobs satisfies its requirements; "
                  "this device is sm_90a"));
}

TEST(CudaWorkbench, ABaselineThatIsNoneIsToldWithWhatThereIs) {
  TaskWorkbenchOptions options;
  options.target = Target::Cpu;
  options.max_bytes = 1 << 20;
  options.why_not_built = [](const Candidate& c) {
    return c.name == "blas" ? "openblas is not installed" : "";
  };
  task::Definition definition = twice("");
  definition.baselines.push_back(definition.baselines.front());
  definition.baselines.back().name = "blas";
  const auto bench = TaskWorkbench::create(std::move(definition), {}, options);
  ASSERT_TRUE(bench) << bench.error().what;
  EXPECT_TRUE(bench->check_baseline(""));
  EXPECT_TRUE(bench->check_baseline("omp"));
  EXPECT_THAT(bench->check_baseline("omq"), IsErrorAbout(ErrorCode::NotFound, "omq"));
  EXPECT_THAT(bench->check_baseline("blas"), IsErrorAbout(ErrorCode::Unsupported, "blas"));
}

TEST(CudaWorkbench, EveryArchThatCanBeCompiledForHasANameInPlans) {
  for (const std::string& arch : device::known_archs())
    EXPECT_THAT(task::device_names(), Contains(arch));
}

TEST(CudaWorkbench, KnobsOfAWrittenSourceAreHeldAgainstTheDeviceToo) {
  const auto bench = workbench("sm_75");
  ASSERT_TRUE(bench);
  WrittenIdeas written(1, [&](const Candidate& c) { return bench->fits(c); });
  const auto place = written.add(candidate(kKernel));
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(written.idea(*place).space.valid_points(100).size(), 2u);
}

TEST(CudaWorkbench, APlanThatDoesNotResolveIsAVerdict) {
  const auto bench = workbench("sm_75");
  ASSERT_TRUE(bench);
  Candidate hungry = candidate(kKernel);
  hungry.knobs["KIB"] = 96;
  const auto limits = bench->request(hungry, nullptr);
  ASSERT_TRUE(limits) << limits.error().what;
  ASSERT_FALSE(limits->plan_faults.empty());
  EXPECT_EQ(limits->plan_faults[0].verdict.stage, Stage::Launch);
  EXPECT_EQ(limits->plan_faults[0].verdict.outcome, Outcome::OutOfResources);

  const auto wrong = bench->request(
      candidate("// kw: launch twice grid(n / 1000) block(128) args(n, x, y)\n"
                "extern \"C\" __global__ void twice(int n, const float* x, float* y) {}\n"),
      nullptr);
  ASSERT_TRUE(wrong) << wrong.error().what;
  ASSERT_FALSE(wrong->plan_faults.empty()) << "an empty grid";
  EXPECT_EQ(wrong->plan_faults[0].verdict.stage, Stage::Screen);
  EXPECT_EQ(wrong->plan_faults[0].verdict.outcome, Outcome::Rejected);
  EXPECT_FALSE(wrong->plan_faults[0].finding.text.empty());
}

TEST(CudaWorkbench, ATaskMayLackABaseline) {
  const auto bench = workbench("sm_90a", "");
  ASSERT_TRUE(bench) << bench.error().what;
  EXPECT_THAT(bench->baselines(), IsEmpty());
  const auto alone = bench->request(candidate(kKernel), nullptr);
  EXPECT_TRUE(alone);
}

}  // namespace
}  // namespace kw::engine
