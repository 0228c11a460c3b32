// Tests of how prompts describe task and machine.
// SPDX-License-Identifier: Apache-2.0
#include "propose/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/shipped_task.h"
#include "propose/shipped_for_test.h"
#include "propose/test_situation.h"

namespace kw::propose {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

// If a variant of a task fixes the gap between rows to 0, the prompt must not mention a gap.
TEST(Describe, RowsAreApartOnlyWhereTheTaskLetsThem) {
  EXPECT_TRUE(has_pitch(shipped("softmax_padded")));
  const auto contiguous = shipped("softmax");
  EXPECT_FALSE(has_pitch(contiguous));
  for (const ArgumentWords& a : describe_arguments(contiguous))
    EXPECT_THAT(a.what, AllOf(Not(HasSubstr("apart")), Not(HasSubstr("pad")))) << a.name;
  EXPECT_THAT(describe_layout(contiguous, Target::Cpu), Not(HasSubstr("pad")));
  EXPECT_THAT(describe_layout(shipped("softmax_padded"), Target::Cpu),
              HasSubstr("`pad` is no argument: take"));
}

// A variant that fixes the number of matrices to one has no batch to speak of.
TEST(Describe, ASizeThatIsAlwaysOneIsLeftOut) {
  const auto matmul = shipped("matmul");
  const auto arguments = describe_arguments(matmul);
  const auto a = std::ranges::find(arguments, "a", &ArgumentWords::name);
  ASSERT_NE(a, arguments.end());
  EXPECT_THAT(a->what, HasSubstr("shape `[m, k]`"));
  EXPECT_THAT(describe_layout(matmul, Target::Cuda), Not(HasSubstr("batch")));
  const auto shapes = describe_shapes(matmul, Target::Cuda);
  ASSERT_TRUE(shapes.has_value());
  EXPECT_THAT(shapes->front().what, HasSubstr("a is [64, 64]"));
  EXPECT_THAT(describe_shapes(shipped("matmul_padded"), Target::Cuda)->front().what,
              HasSubstr("a is [1, 64, 64]"));
}

TEST(Describe, TheLayoutSaysWhereRowsBeginAndHowWideOffsetsAre) {
  EXPECT_THAT(describe_layout(shipped("matmul"), Target::Cpu),
              AllOf(HasSubstr("multiple of 4: `k` of `a`; `n` of `b`, `c`."),
                    HasSubstr("compute offsets in 64 bits")));
  EXPECT_THAT(describe_layout(shipped("matmul_bf16"), Target::Cuda),
              HasSubstr("multiple of 8: `k` of `a`"));
  EXPECT_THAT(describe_layout(shipped("histogram"), Target::Cuda),
              AllOf(Not(HasSubstr("row of a tensor")), HasSubstr("compute offsets in 64 bits")));
}

TEST(Describe, FastMathIsNoOptionWhereNothingIsRounded) {
  for (const Target target : {Target::Cpu, Target::Cuda}) {
    EXPECT_THAT(describe_options(shipped("scan"), target), HasSubstr("fast_math"));
    for (const char* exact : {"transpose", "histogram"}) {
      EXPECT_THAT(describe_options(shipped(exact), target), Not(HasSubstr("fast_math")));
      EXPECT_THAT(describe_restrictions(shipped(exact), target), Each(Not(HasSubstr("fast_math"))));
    }
  }
}

std::string words_on(const task::Definition& task, const char* argument) {
  const auto arguments = describe_arguments(task);
  const auto found = std::ranges::find(arguments, argument, &ArgumentWords::name);
  return found == arguments.end() ? "no argument" : found->what;
}

// A reader must not guard against arguments that no workload has.
TEST(Describe, ArgumentsThatAreNoSizesHaveTheBoundsOfAllWorkloads) {
  const auto waves = shipped("fctd3d");
  EXPECT_EQ(words_on(waves, "dt"), "finite and above 0");
  EXPECT_EQ(words_on(waves, "oy"), "any finite value");
  const auto convolution = shipped("conv2d");
  EXPECT_EQ(words_on(convolution, "stride"), "an integer, at least 1");
  EXPECT_EQ(words_on(convolution, "pad"), "an integer, at least 0");
  EXPECT_EQ(words_on(convolution, "kw"), "a size, at least 1");
}

TEST(Describe, RatesOfMakersAreNotCalledMeasured) {
  DeviceFacts facts;
  facts.target = Target::Cuda;
  facts.compiler = "NVRTC of CUDA 13000";
  facts.gpu.resize(1);
  facts.gpu.front().arch = "sm_90a";
  const Task product = shipped("matmul").task;
  EXPECT_THAT(describe_device(facts, product, {}),
              AllOf(Contains("Its bandwidths and peak rates are not measured yet"),
                    Contains("Compiler: NVRTC of CUDA 13000")));
  EXPECT_THAT(describe_device(facts, product, {"H100; memory 3 TB/s"}),
              AllOf(Contains("It may be: H100; memory 3 TB/s"),
                    Contains(HasSubstr("the rates told here are its maker's")),
                    Each(Not(HasSubstr("not measured yet")))));
  DatasheetRates rates;
  rates.memory = 3.35e12, rates.f32 = 67e12, rates.f64 = 34e12, rates.f64_matrix = 67e12;
  EXPECT_EQ(describe_rates(rates, product), "memory 3.35 TB/s, f32 67.0 Tflop/s");
}

// A task without sums of products is bound by memory, whatever matrix units reach.
TEST(Describe, OnlyRatesThatBearOnTheTaskAreTold) {
  DatasheetRates rates;
  rates.memory = 3.35e12, rates.f32 = 67e12, rates.f64 = 34e12, rates.f64_matrix = 67e12;
  rates.tf32 = 494e12, rates.f16 = 990e12;
  EXPECT_EQ(describe_rates(rates, shipped("softmax").task), "memory 3.35 TB/s, f32 67.0 Tflop/s");
  EXPECT_EQ(describe_rates(rates, shipped("conv2d").task),
            "memory 3.35 TB/s, f32 67.0 Tflop/s, tf32 494 Tflop/s, f16 and bf16 990 Tflop/s");
  Task doubles = shipped("matmul").task;
  for (Parameter& p : doubles.signature)
    if (p.is_tensor) p.dtype = Dtype::F64;
  EXPECT_THAT(describe_rates(rates, doubles),
              HasSubstr("f64 34.0 Tflop/s, f64 on matrix units 67.0 Tflop/s"));
}

TEST(Describe, AProcessorIsToldWithItsGeneration) {
  DeviceFacts facts;
  facts.model = "AMD EPYC", facts.generation = "AuthenticAMD, family 26, model 2";
  facts.cores = 2;
  const Task task = test_task().task;
  EXPECT_THAT(describe_device(facts, task),
              Contains("AMD EPYC (AuthenticAMD, family 26, model 2), 2 usable cores"));
  facts.caches = {{1, 32 << 10, 1}};
  EXPECT_THAT(describe_device(facts, task).front(),
              testing::EndsWith(", 2 usable cores, each with execution units of its own"));
  facts.caches = {{1, 32 << 10, 2}};
  EXPECT_THAT(describe_device(facts, task).front(),
              testing::EndsWith("2 usable logical cores; 2 logical cores share the execution units "
                                "and L1 of a physical one"));
}

// Random bytes lie between rows, and some of them are NaN.
TEST(Describe, PaddingIsNoise) {
  const auto task = shipped("softmax_padded");
  EXPECT_THAT(words_on(task, "x"),
              HasSubstr("is noise, NaN included, which must not reach a result"));
  EXPECT_THAT(words_on(task, "y"), HasSubstr("is noise, NaN included, which must stay untouched"));
}

// A share of a roof that nobody has measured is no rate to aim at.
TEST(Describe, AGoalInSharesOfAnUnknownRoofSaysSo) {
  Situation situation;
  const auto task = test_task();
  situation.task = &task;
  situation.goals.roof = 0.85;
  EXPECT_THAT(describe_goal(situation),
              Contains("Goal: 0.85 of the roofline, which is not measured yet."));
  const DeviceFacts device = test_device();
  situation.device = &device;
  EXPECT_THAT(describe_goal(situation), Contains("Goal: 0.85 of the roofline."));
}

TEST(Describe, TheOpponentIsNamedOrWhoItWillBe) {
  Situation situation;
  const auto task = test_task();
  situation.task = &task;
  situation.baseline = "naive";
  EXPECT_EQ(describe_goal(situation).front(), "To beat: the baseline `naive`.");
  situation.rivals = {"naive", "cub"};
  EXPECT_EQ(describe_goal(situation).front(),
            "To beat: the fastest of the baselines `naive`, `cub`, which are timed first.");
  situation.baseline_ns = 2e6;
  EXPECT_THAT(describe_goal(situation).front(), HasSubstr("`naive`, 2.00 ms"));
}

TEST(Describe, CuteIsNamedOnlyWhereItCompiles) {
  const task::Definition task = test_task();
  EXPECT_THAT(describe_restrictions(task, Target::Cuda, true), Contains(HasSubstr("CuTe")));
  EXPECT_THAT(describe_restrictions(task, Target::Cuda, false), Each(Not(HasSubstr("CuTe"))));
  EXPECT_THAT(describe_restrictions(task, Target::Cuda),
              Contains(HasSubstr("at most 4 KiB of local memory")));
}

}  // namespace
}  // namespace kw::propose
