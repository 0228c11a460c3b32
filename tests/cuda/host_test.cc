// Tests of host launchers in a player: captured where possible, otherwise called, or refused with a
// reason.
// SPDX-License-Identifier: Apache-2.0
#include "gpu.h"

namespace kw::testing_gpu {
namespace {

using device::CallResult;
using device::Fate;

enum Mode { kPure, kWaits, kFails, kQueuesNothing };  // the modes of host_launcher.cc

class HostLauncher : public WithPlayer {
 protected:
  std::unique_ptr<device::Buffer> z_;

  void SetUp() override {
    Gpu::SetUp();
    if (gpu() == nullptr) return;
    y_ = make(kElements);
    z_ = make(kElements);
    auto player = gpu()->start_player({.name = "opponent",
                                       .jail = jail_level(),
                                       .buffers = {y_.get(), z_.get()},
                                       .writable = {true, true},
                                       .runs_host_code = true});
    ASSERT_TRUE(player.has_value()) << describe(player.error());
    player_ = std::move(*player);
    BuiltObject object;
    object.format = "elf-so";
    object.path = KW_HOST_LAUNCHER;
    load(object);
  }
  static PlanStep call(Mode mode, int buffer) {
    PlanStep step;
    step.kind = StepKind::Call;
    step.arguments = {number(0, mode), tensor(1, buffer), number(2, kElements)};
    return step;
  }
  device::LoadResult bind(std::vector<PlanStep> calls) {
    const Plan plan = plan_of(std::move(calls));
    return player_->bind({.object = object_, .plan = &plan, .tensors = {0, 1}, .workspaces = {}});
  }
  device::LoadResult bind(Mode mode) { return bind({call(mode, 0)}); }
  float y_after(int plan, bool is_by_stream) {
    const CallResult ended = player_->call(
        {.object = plan,
         .timeout_ns = 5'000'000'000,
         .kind = is_by_stream ? device::CallKind::ByStream : device::CallKind::Checked});
    EXPECT_EQ(ended.fate, Fate::Returned) << ended.detail;
    return get(*y_, kElements).back();
  }
};

TEST_F(HostLauncher, IsCapturedAndRunsBothWays) {
  const auto bound = bind(kPure);
  ASSERT_EQ(bound.fate, Fate::Returned) << bound.detail;
  EXPECT_EQ(bound.why_not_captured, "");
  // The function was called once for its work on first use, and once while it was captured.
  EXPECT_EQ(y_after(bound.object, false), 2);
  EXPECT_EQ(y_after(bound.object, true), 3);
  EXPECT_EQ(y_after(bound.object, false), 2);
  EXPECT_EQ(player_->forget(bound.object).fate, Fate::Returned);
  EXPECT_EQ(y_after(bound.object, false), 2);
}

TEST_F(HostLauncher, OneThatWaitsIsCalledEachTime) {
  const auto bound = bind(kWaits);
  ASSERT_EQ(bound.fate, Fate::Returned) << bound.detail;
  EXPECT_NE(bound.why_not_captured, "");
  const float first = y_after(bound.object, false);
  EXPECT_EQ(y_after(bound.object, false), first + 1);
}

TEST_F(HostLauncher, ManyCallsAreOneGraphOrASeries) {
  const auto pure = bind({call(kPure, 0), call(kPure, 1), call(kPure, 0)});
  ASSERT_EQ(pure.fate, Fate::Returned) << pure.detail;
  EXPECT_EQ(pure.why_not_captured, "");
  EXPECT_EQ(y_after(pure.object, false), 4) << "the first call alone before the capture";
  EXPECT_EQ(get(*z_, kElements).back(), 3);
  EXPECT_EQ(y_after(pure.object, false), 4);
  const auto waits = bind({call(kWaits, 0), call(kWaits, 1)});
  ASSERT_EQ(waits.fate, Fate::Returned) << waits.detail;
  const float y = y_after(waits.object, false);
  EXPECT_EQ(get(*z_, kElements).back(), y + 1);
  EXPECT_EQ(y_after(waits.object, false), y + 2);
}

TEST_F(HostLauncher, OneThatQueuesNothingIsSeen) {
  const auto bound = bind(kQueuesNothing);
  ASSERT_EQ(bound.fate, Fate::Returned) << bound.detail;
  EXPECT_NE(bound.why_not_captured.find("queues nothing"), std::string::npos);
}

TEST_F(HostLauncher, OneThatFailsIsRefusedWithItsNumber) {
  const auto bound = bind(kFails);
  EXPECT_EQ(bound.fate, Fate::LoadRefused);
  EXPECT_NE(bound.detail.find("returned error code 7"), std::string::npos) << bound.detail;
  EXPECT_TRUE(player_->is_alive());
}

TEST_F(HostLauncher, PlansOfKernelsAreNotForIt) {
  const Plan plan = plan_of({launch("saxpy", 1, 1, {})});
  const auto bound =
      player_->bind({.object = object_, .plan = &plan, .tensors = {0}, .workspaces = {}});
  EXPECT_EQ(bound.fate, Fate::LoadRefused);
  EXPECT_NE(bound.detail.find("has no kernels to launch"), std::string::npos) << bound.detail;
}

TEST_F(WithPlayer, OfACandidateLoadsNoHostCode) {
  BuiltObject object;
  object.format = "elf-so";
  object.path = KW_HOST_LAUNCHER;
  EXPECT_EQ(player_->load(object).fate, Fate::LoadRefused);
}

}  // namespace
}  // namespace kw::testing_gpu
