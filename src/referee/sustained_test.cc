// Back-to-back calls: the repeated plan, its figure, and outputs that must be right in every slot.
// SPDX-License-Identifier: Apache-2.0
#include "referee/sustained.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "referee/gpu_room_for_test.h"

namespace kw::referee {
namespace {

using testing::GpuRoom;
using ::testing::HasSubstr;
using testing::timed;
using testing::twice;
using FakeArguments = std::vector<device::FakeArgument>;

/// A kernel with three arguments for each launch of a plan: it does all launches, or the first
/// `most`.
device::FakeKernel repeating(double ns, std::size_t most = 100'000) {
  return [=](const std::vector<FakeArguments>& sets) {
    const FakeArguments& all = sets.at(0);
    const std::size_t launches = all.size() / 3;
    for (std::size_t i = 0; i < std::min(launches, most); ++i)
      twice<float>(testing::Arguments<float>(
          FakeArguments(all.begin() + static_cast<std::ptrdiff_t>(3 * i),
                        all.begin() + static_cast<std::ptrdiff_t>(3 * i + 3))));
    return device::stamped_at(ns * static_cast<double>(launches));
  };
}

Evaluation judge(GpuRoom& room) {
  room.request.measure.sustained = true;
  return room.judge();
}

TEST(Sustained, BothLegsHaveAFigureOverRotatingBuffers) {
  GpuRoom room;
  room.world.objects["candidate"].kernel = repeating(2e6);
  room.world.objects["slow"].kernel = repeating(4e6);
  const Evaluation e = judge(room);
  EXPECT_VERDICT(e, Measure, Correct);
  ASSERT_EQ(timed(e).sustained.size(), 2u);
  const Sustained& candidate = timed(e).sustained[0];
  EXPECT_EQ(candidate.role, "candidate");
  EXPECT_EQ(candidate.why_not, "");
  EXPECT_DOUBLE_EQ(candidate.call_ns, 2e6);
  EXPECT_GE(candidate.span_ns, kSustainedNs);
  EXPECT_GE(candidate.calls, 500);
  EXPECT_EQ(candidate.buffers, 8);
  EXPECT_DOUBLE_EQ(timed(e).sustained[1].call_ns, 4e6);
  EXPECT_EQ(timed(e).median_ns, 2e6) << "the cold figure stands beside it";
}

TEST(Sustained, IsAskedFor) {
  GpuRoom room;
  EXPECT_TRUE(timed(room.judge()).sustained.empty());
}

TEST(Sustained, AnOutputThatIsWrongInOneSlotIsAWrongResult) {
  GpuRoom room;
  room.world.objects["candidate"].kernel = repeating(2e6, 1);
  const Evaluation e = judge(room);
  EXPECT_VERDICT(e, Measure, WrongResult);
}

TEST(Sustained, WhatReadsItsOutputsOrForksHasNoFigure) {
  GpuRoom room;
  const Workload& workload = room.request.workloads.front();
  Program program{.role = "candidate", .target = Target::Cuda, .object = {}, .plans = {}};
  program.object.format = "cubin";
  program.plans[workload.name] = testing::make_plan(workload);
  EXPECT_EQ(why_not_sustained(workload, program), "");
  Workload changes = workload;
  changes.tensors[1].role = TensorRole::InOut;
  EXPECT_THAT(why_not_sustained(changes, program), HasSubstr("the kernel changes its inputs"));
  program.plans[workload.name].steps[0].branch = 1;
  EXPECT_THAT(why_not_sustained(workload, program), HasSubstr("branches"));
  program.plans.clear();
  EXPECT_THAT(why_not_sustained(workload, program), HasSubstr("no launch plan"));
}

TEST(Sustained, CallsOfAHostLauncherAreRepeatedOnTheTensorsOfEachSlot) {
  GpuRoom room;
  Plan plan = testing::make_plan(room.request.workloads.front());
  plan.steps[0].kind = StepKind::Call;
  const Plan all = repeated(plan, {1, 0}, 2, 2);
  ASSERT_EQ(all.steps.size(), 2u);
  for (const PlanStep& step : all.steps) EXPECT_EQ(step.kind, StepKind::Call);
  EXPECT_EQ(all.steps[0].arguments[1].place.index, 2);
  EXPECT_EQ(all.steps[1].arguments[1].place.index, 0);
}

TEST(Sustained, ARepeatedPlanNamesTheTensorsOfEachSlot) {
  GpuRoom room;
  Plan plan = testing::make_plan(room.request.workloads.front(), 64, Initial::Zero);
  PlanTensorMap map;
  map.name = "m";
  map.base = {PlanMemory::Tensor, 1, 16};
  plan.tensor_maps = {map};
  PlanArgument by_map;
  by_map.kind = ArgumentKind::TensorMap;
  plan.steps[0].arguments.push_back(by_map);
  const Plan all = repeated(plan, {1, 0, 2}, 2, 3);
  ASSERT_EQ(all.steps.size(), 6u) << "zeros, then the launch, three times";
  EXPECT_EQ(all.steps[0].kind, StepKind::Fill);
  EXPECT_EQ(all.steps[0].to.memory, PlanMemory::Workspace);
  EXPECT_EQ(all.steps[0].bytes, 64);
  const std::vector<int> slots = {1, 0, 2};
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto& arguments = all.steps[2 * i + 1].arguments;
    EXPECT_EQ(arguments[1].place.index, 2 * slots[i]);
    EXPECT_EQ(arguments[2].place.index, 2 * slots[i] + 1);
    EXPECT_EQ(arguments[3].place.index, 0) << "workspaces are shared";
    EXPECT_EQ(arguments[4].map, slots[i]);
  }
  ASSERT_EQ(all.tensor_maps.size(), 3u);
  EXPECT_EQ(all.tensor_maps[2].base.index, 5);
  EXPECT_EQ(all.tensor_maps[2].base.offset, 16);
}

}  // namespace
}  // namespace kw::referee
