// Tests of players on a GPU: plans of every form, what they forget, how they fail, and the clock.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "gpu.h"

namespace kw::testing_gpu {
namespace {

using device::CallResult;
using device::Fate;

constexpr int kIllegalAddress = 700;

class Player : public WithPlayer {
 protected:
  void expect_returned(const CallResult& result) {
    EXPECT_EQ(result.fate, Fate::Returned) << result.detail;
  }
  std::vector<float> y(std::size_t count = kElements) { return get(*y_, count); }
  float y_at(std::size_t i) { return y()[i]; }
  std::string refusal(const Plan& plan) {
    const auto result =
        player_->bind({.object = object_, .plan = &plan, .tensors = {0, 1}, .workspaces = {}});
    EXPECT_EQ(result.fate, Fate::LoadRefused);
    EXPECT_TRUE(player_->is_alive());
    return result.detail;
  }
  /// Expects that after a fault this player is dead, the device works, and the next player works.
  void expect_unharmed() {
    EXPECT_FALSE(player_->is_alive());
    player_.reset();
    const auto probed = gpu()->probe();
    ASSERT_TRUE(probed.has_value()) << probed.error().what;
    EXPECT_TRUE(*probed);
    SetUp();
    expect_returned(run(plan_of({saxpy(2, kElements)})));
    EXPECT_EQ(y_at(7), 15);
  }
};

TEST_F(Player, RunsAKernelOnTheRefereesBuffers) {
  expect_returned(run(plan_of({saxpy(2, kElements)})));
  const auto got = y();
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], 2 * static_cast<float>(i) + 1);
  EXPECT_EQ(gpu()->ops().check_guards(*x_).value_or("?"), "");
  EXPECT_EQ(gpu()->ops().check_guards(*y_).value_or("?"), "");
}

TEST_F(Player, StepsOfABranchRunInOrderAndOthersWaitForTheirs) {
  Plan plan =
      plan_of({saxpy(1, kElements), launch("triple", 20, 256, {tensor(0, 1), number(1, kElements)}),
               saxpy(1, kElements)});
  plan.steps[1].branch = 1;
  plan.steps[1].after = {0};
  plan.steps[2].after = {1};
  expect_returned(run(plan));
  EXPECT_EQ(y_at(10), (10 + 1) * 3 + 10);
}

TEST_F(Player, TemplatesAreFoundByTheirNamesInThePlan) {
  if (is_emulated()) GTEST_SKIP() << "the stand-in for nvcc knows plain kernels alone";
  expect_returned(
      run(plan_of({launch("multiply<3>", 20, 256, {tensor(0, 1), number(1, kElements)})})));
  EXPECT_EQ(y_at(10), 3);
}

TEST_F(Player, FillsAndCopies) {
  PlanStep fill;
  fill.kind = StepKind::Fill;
  fill.to = {PlanMemory::Tensor, 1, 4};
  fill.bytes = 4 * 1000;
  fill.unit = 4;
  fill.value = 0x40400000;  // 3.0f
  PlanStep copy;
  copy.kind = StepKind::Copy;
  copy.to = {PlanMemory::Tensor, 1, 4 * 2000};
  copy.from = {PlanMemory::Tensor, 0, 4 * 100};
  copy.bytes = 4 * 50 - 1;
  expect_returned(run(plan_of({fill, copy})));
  const auto got = y();
  EXPECT_EQ(got[0], 1);
  EXPECT_EQ(got[1], 3);
  EXPECT_EQ(got[1000], 3);
  EXPECT_EQ(got[1001], 1);
  EXPECT_EQ(got[2000], 100);
  EXPECT_EQ(got[2048], 148);
}

TEST_F(Player, TablesStructsAndOffsetsReachTheKernel) {
  Plan plan =
      plan_of({launch("gather", 1, 64, {tensor(0, 0), tensor(1, 0), tensor(2, 1), number(3, 3)})});
  plan.tables.push_back({.name = "t", .dtype = Dtype::I32, .integers = {9, 4, 77}, .reals = {}});
  plan.steps[0].arguments[0].place = {PlanMemory::Table, 0, 0};
  expect_returned(run(plan));
  EXPECT_EQ(y(3), (std::vector<float>{9, 4, 77}));

  PlanStep scale =
      launch("scale", 1, 64, {real(0, 0.5f), number(0, 3), tensor(0, 0, 40), tensor(1, 1)});
  scale.arguments[1].at = 4;
  scale.arguments[2].at = 8;
  expect_returned(run(plan_of({scale})));
  EXPECT_EQ(y(3), (std::vector<float>{5, 5.5, 6}));
}

TEST_F(Player, EmptyPlansAndCallsReturn) {
  expect_returned(run(Plan{}));
  const CallResult empty = player_->call_empty();
  expect_returned(empty);
  EXPECT_GT(empty.elapsed_ns, 0);
}

TEST_F(Player, CooperativeGridsSynchronise) {
  auto partial = make(8 * 64);
  player_ = start({x_.get(), y_.get(), partial.get()}, {false, true, true});
  load(kernels());
  Plan plan =
      plan_of({launch("sum_by_grid", is_emulated() ? 4 : 8, 64,
                      {tensor(0, 0), workspace(1, 0), tensor(2, 1), number(3, kElements)})});
  plan.steps[0].cooperative = true;
  plan.workspaces.push_back({.name = "partial", .bytes = 8 * 64 * 4});
  expect_returned(run(bound(plan, {2})));
  EXPECT_EQ(y_at(0), static_cast<float>(kElements * (kElements - 1) / 2));
  plan.steps[0].grid = {1'000'000};
  const auto refused =
      player_->bind({.object = object_, .plan = &plan, .tensors = {0, 1}, .workspaces = {2}});
  // Drivers differ in when they refuse such a plan: while it is captured, or when it is launched.
  const Fate fate = refused.fate == Fate::Returned ? run(refused.object).fate : refused.fate;
  EXPECT_TRUE(fate == Fate::LoadRefused || fate == Fate::LaunchFailed) << refused.detail;
}

TEST_F(Player, ForgetsGlobalsAndSharedMemory) {
  const int count = bound(plan_of({launch("count_calls", 1, 1, {tensor(0, 1)})}));
  expect_returned(run(count));
  expect_returned(run(count));
  EXPECT_EQ(y_at(0), 2);
  expect_returned(player_->forget(count));
  expect_returned(run(count));
  EXPECT_EQ(y_at(0), 1);
  // Forgetting that was begun early ends before the next call begins.
  player_->begin_forget(count);
  expect_returned(run(count));
  EXPECT_EQ(y_at(0), 1);
  player_->begin_forget(count);
  expect_returned(player_->forget(count));
  expect_returned(run(count));
  EXPECT_EQ(y_at(0), 1);
  // The graph of another plan is built when that plan next runs.
  const int other = bound(plan_of({saxpy(2, kElements)}));
  expect_returned(player_->forget(other));
  expect_returned(run(count));
  EXPECT_EQ(y_at(0), 1);

  // On the stand-in one thread may run every overwriting block while another thread keeps its
  // memory. On a GPU such a block fills its multiprocessor.
  if (is_emulated()) return;
  Plan remember = plan_of({launch("remember", 8, 256, {real(0, 42)})});
  Plan recall = plan_of({launch("recall", 8, 256, {tensor(0, 1)})});
  for (Plan* plan : {&remember, &recall}) plan->steps[0].shared_bytes = 1024;
  const int first = bound(remember), second = bound(recall);
  expect_returned(run(first));
  expect_returned(player_->forget(second));
  expect_returned(run(second));
  const auto got = y(2048);
  EXPECT_EQ(std::ranges::count(got, 42.f), 0);
}

TEST_F(Player, RefusesInWordsWhatDoesNotFit) {
  EXPECT_NE(refusal(plan_of({launch("no_such_kernel", 1, 1, {})})).find("no_such_kernel"),
            std::string::npos);
  Plan few = plan_of({saxpy(1, 10)});
  few.steps[0].arguments.pop_back();
  EXPECT_NE(refusal(few).find("takes 4 arguments, and the launch does not pass argument 4"),
            std::string::npos);
  Plan many = plan_of({saxpy(1, 10)});
  many.steps[0].arguments.push_back(number(4, 1));
  EXPECT_NE(refusal(many).find("argument 5, but the kernel takes 4"), std::string::npos);
  Plan broad = plan_of({saxpy(1, 10)});
  broad.steps[0].arguments[3] = wide(3, 10);
  EXPECT_NE(refusal(broad).find("argument 4 has 8 bytes, and the kernel's parameter has 4"),
            std::string::npos);
  Plan shared = plan_of({saxpy(1, 10)});
  shared.steps[0].shared_bytes = std::int64_t{1} << 20;
  EXPECT_NE(refusal(shared).find("bytes of shared memory"), std::string::npos);
  Plan outside = plan_of({saxpy(1, 10)});
  outside.steps[0].arguments[1].place.offset = kElements * 4 + 1;
  EXPECT_NE(refusal(outside).find("outside every buffer"), std::string::npos);
  Plan threads = plan_of({saxpy(1, 10)});
  threads.steps[0].block = {2048};
  EXPECT_NE(refusal(threads).find("blocks of 2048 threads"), std::string::npos);
  expect_returned(run(plan_of({saxpy(2, kElements)})));
}

TEST_F(Player, RefusesWhatIsNoCubin) {
  BuiltObject object = kernels();
  object.path = KW_SOURCE_DIR "/tests/cuda/kernels.cu";
  EXPECT_EQ(player_->load(object).fate, Fate::LoadRefused);
  EXPECT_TRUE(player_->is_alive());
}

TEST_F(Player, StrayWritesFault) {
  // Offsets in elements of y: at the end of the slack, 64 MiB further, and 8 MiB before y.
  const std::int64_t end = (kElements * 4 + (std::int64_t{2} << 20)) / 4;
  for (const std::int64_t at : {end, end + (std::int64_t{16} << 20), -(std::int64_t{2} << 20)}) {
    const CallResult result = run(plan_of({launch("write_at", 1, 1, {tensor(0, 1), wide(1, at)})}));
    EXPECT_EQ(result.fate, Fate::DeviceFault) << at;
    EXPECT_EQ(result.signal, kIllegalAddress) << result.detail;
    expect_unharmed();
  }
}

TEST_F(Player, WhatIsNotKeptIsOutOfReach) {
  auto place = make(8);
  player_ = start({x_.get(), y_.get(), place.get()}, {false, true, true});
  load(kernels());
  const auto bind = [&](const Plan& plan) {
    const auto result = player_->bind({.object = object_, .plan = &plan, .tensors = {0, 1, 2}});
    EXPECT_EQ(result.fate, Fate::Returned) << result.detail;
    return result.object;
  };
  const int tell = bind(plan_of({launch("tell_address", 1, 1, {tensor(0, 2), tensor(1, 1)})}));
  expect_returned(run(tell));
  std::uint64_t address = 0;
  const auto told = get(*y_, 2);
  std::memcpy(&address, told.data(), sizeof address);
  const auto to = wide(0, static_cast<std::int64_t>(address));
  const int hides = bind(plan_of({saxpy(2, kElements), launch("write_to", 1, 1, {to})}));
  expect_returned(run(hides));
  EXPECT_EQ(get(*place, 1).front(), 42);
  expect_returned(player_->keep_only(hides));
  EXPECT_EQ(run(hides).fate, Fate::DeviceFault);
  expect_unharmed();

  player_ = start({x_.get(), y_.get(), place.get()}, {false, true, true});
  load(kernels());
  const int other = bind(plan_of({launch("tell_address", 1, 1, {tensor(0, 2), tensor(1, 1)})}));
  const int kept = bind(plan_of({saxpy(2, kElements)}));
  expect_returned(player_->keep_only(kept));
  expect_returned(run(kept));
  expect_returned(player_->forget(kept));
  expect_returned(run(kept));
  EXPECT_NE(run(other).fate, Fate::Returned);
}

TEST_F(Player, WritesIntoTheSlackAreSeen) {
  const int plan = bound(plan_of({launch("write_at", 1, 1, {tensor(0, 1), wide(1, -1)})}));
  expect_returned(run(plan));
  EXPECT_NE(gpu()->ops().check_guards(*y_).value_or("").find(
                "before the beginning of the tensor was overwritten"),
            std::string::npos);
}

TEST_F(Player, AWriteToAnInputFaults) {
  const CallResult result = run(plan_of({launch("write_input", 1, 1, {tensor(0, 0)})}));
  EXPECT_EQ(result.fate, Fate::DeviceFault);
  EXPECT_EQ(result.signal, kIllegalAddress) << result.detail;
  EXPECT_EQ(get(*x_, 1)[0], 0);
  expect_unharmed();
}

TEST_F(Player, ATrapFaults) {
  const CallResult result = run(plan_of({launch("trap", 1, 32, {})}));
  EXPECT_EQ(result.fate, Fate::DeviceFault);
  EXPECT_NE(result.detail.find("CUDA_ERROR_"), std::string::npos) << result.detail;
  expect_unharmed();
}

TEST_F(Player, HangsAndDeadBarriersTimeOut) {
  for (const auto& step :
       {launch("hang", 1, 1, {tensor(0, 1)}), launch("half_barrier", 1, 64, {tensor(0, 1)})}) {
    const CallResult result = run(bound(plan_of({step})), 200'000'000);
    EXPECT_EQ(result.fate, Fate::TimedOut) << result.detail;
    expect_unharmed();
  }
}

TEST_F(Player, LocksItselfDown) {
  // The player's process may neither be traced nor create processes; the only threads it has are
  // the driver's.
  const auto after = player_->watch_after_return(20'000'000);
  ASSERT_TRUE(after.has_value()) << after.error().what;
  EXPECT_EQ(after->processes_left, 0);
  EXPECT_FALSE(after->has_ended);
}

TEST_F(Player, TheClockReadsSleepsAsTheEventsDo) {
  for (const std::int64_t us : {10, 100, 1000}) {
    const int plan = bound(plan_of({launch("sleep_for", 1, 1, {wide(0, us * 1000)})}));
    std::vector<double> stamped, events, empty, apart;
    for (int i = 0; i < (is_emulated() ? 12 : 40); ++i) {
      const CallResult nothing = player_->call_empty();
      const CallResult result = run(plan);
      expect_returned(result);
      if (result.stamped_ns == 0 || nothing.stamped_ns == 0) continue;  // announced too late
      stamped.push_back(result.stamped_ns);
      events.push_back(result.event_ns);
      empty.push_back(nothing.stamped_ns);
      apart.push_back(nothing.stamped_ns - nothing.event_ns);
    }
    // On the stand-in few announcements come in time, since it shares the host's cores.
    if (is_emulated() && stamped.empty()) continue;
    ASSERT_GT(stamped.size(), is_emulated() ? 0u : 20u) << "most announcements came too late";
    const auto median = [](std::vector<double>& v) {
      std::ranges::nth_element(v, v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2));
      return v[v.size() / 2];
    };
    const double ns = static_cast<double>(us) * 1000;
    const double seen = median(stamped), by_events = median(events), nothing = median(empty);
    RecordProperty("sleep_" + std::to_string(us) + "_stamped_ns", std::to_string(seen));
    RecordProperty("sleep_" + std::to_string(us) + "_event_ns", std::to_string(by_events));
    RecordProperty("empty_ns", std::to_string(nothing));
    std::printf("sleep %ld us: stamped %.0f ns, events %.0f ns, empty %.0f ns\n",
                static_cast<long>(us), seen, by_events, nothing);
    EXPECT_GE(seen, ns);
    if (is_emulated()) continue;  // times on the stand-in mean nothing
    // In the difference, half a launch remains: the kernel's own start and end.
    EXPECT_NEAR(seen - nothing, ns, std::max(0.01 * ns, 2500.0));
    // The referee requires the same: stamps enclose the events, apart from a constant.
    EXPECT_NEAR(seen - median(apart), by_events, std::max(0.02 * by_events, 1000.0));
  }
}

TEST_F(Player, FlushedInputsAreReadCold) {
  if (is_emulated()) GTEST_SKIP() << "the stand-in for a GPU has no cache";
  const int plan = bound(
      plan_of({launch("read_clocks", 1, 1, {tensor(0, 0), tensor(1, 1), number(2, kElements)})}));
  const auto clocks = [&](bool is_cold) {
    std::vector<float> seen;
    for (int i = 0; i < 9; ++i) {
      const bool is_flushed = !is_cold || gpu()->flush({}).has_value();
      EXPECT_TRUE(is_flushed);
      expect_returned(run(plan));
      seen.push_back(y_at(0));
    }
    std::ranges::nth_element(seen, seen.begin() + 4);
    return seen[4];
  };
  const float warm = clocks(false), cold = clocks(true);
  std::printf("157 loads: %.0f clocks warm, %.0f cold\n", warm, cold);
  EXPECT_GT(cold, 1.5f * warm);
}

TEST_F(Player, ClustersShareMemory) {
  if (hopper_kernels() == nullptr) GTEST_SKIP() << "clusters need sm_90";
  load(*hopper_kernels());
  PlanStep step = launch("cluster_ranks", 8, 32, {tensor(0, 1)});
  step.cluster = {4};
  expect_returned(run(plan_of({step})));
  EXPECT_EQ(y(8), (std::vector<float>{1, 2, 3, 0, 1, 2, 3, 0}));
}

TEST_F(Player, ProgrammaticLaunchesWaitForTheirPredecessor) {
  if (hopper_kernels() == nullptr) GTEST_SKIP() << "programmatic launches need sm_90";
  load(*hopper_kernels());
  PlanStep first =
      launch("after_predecessor", 20, 256, {tensor(0, 0), tensor(1, 1), number(2, kElements)});
  PlanStep second =
      launch("after_predecessor", 20, 256, {tensor(0, 1), tensor(1, 1), number(2, kElements)});
  second.programmatic = true;
  expect_returned(run(plan_of({first, second})));
  EXPECT_EQ(y_at(100), 102);
}

TEST_F(Player, TensorMapsLoadTiles) {
  if (hopper_kernels() == nullptr) GTEST_SKIP() << "tensor maps need sm_90";
  load(*hopper_kernels());
  Plan plan = plan_of(
      {launch("copy_tile", 1, 128, {tensor(0, 0), tensor(1, 1), number(2, 16), number(3, 2)})});
  PlanTensorMap map;
  map.name = "m";
  map.base = {PlanMemory::Tensor, 0, 0};
  map.element = "f32";
  map.sizes = {64, 70};
  map.stride_bytes = {64 * 4};
  map.box = {16, 8};
  plan.tensor_maps.push_back(map);
  PlanArgument& argument = plan.steps[0].arguments[0];
  argument.kind = ArgumentKind::TensorMap;
  argument.bytes = 128;
  argument.map = 0;
  auto aligned = gpu()->allocate({.name = "x", .bytes = kElements * 4, .alignment = 128});
  ASSERT_TRUE(aligned.has_value());
  ASSERT_TRUE(gpu()->ops().copy(**aligned, *x_).has_value());
  player_ = start({aligned->get(), y_.get()}, {false, true});
  load(*hopper_kernels());
  expect_returned(run(plan));
  EXPECT_EQ(y_at(0), 2 * 64 + 16);
  EXPECT_EQ(y_at(17), 3 * 64 + 17);
}

TEST_F(Player, TrustedRunsAreTimedByEvents) {
  Plan plan;
  PlanStep step = launch("kw_poison", 64, 256, {tensor(0, 0), wide(1, 4096), wide(2, 5)});
  plan.steps.push_back(step);
  auto target = make(1024, false);
  const auto ns = gpu()->run_trusted(
      {.unit = "device_ops", .plan = &plan, .buffers = {target.get()}, .repeats = 10});
  ASSERT_TRUE(ns.has_value()) << ns.error().what;
  EXPECT_GT(*ns, 0);
  EXPECT_FALSE(gpu()->run_trusted({.unit = "nothing", .plan = &plan, .buffers = {}}).has_value());
}

}  // namespace
}  // namespace kw::testing_gpu
