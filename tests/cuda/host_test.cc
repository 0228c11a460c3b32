// Host launchers in a player: captured where that is possible, called else, refused in words.
// SPDX-License-Identifier: Apache-2.0
#include "gpu.h"

namespace kw::testing_gpu {
namespace {

using device::CallResult;
using device::Fate;

enum Mode { kPure, kWaits, kFails, kQueuesNothing };  // as in host_launcher.cc

class HostLauncher : public WithPlayer {
 protected:
  void SetUp() override {
    Gpu::SetUp();
    if (gpu() == nullptr) return;
    y_ = make(kElements);
    auto player = gpu()->start_player({.name = "opponent",
                                       .jail = jail_level(),
                                       .buffers = {y_.get()},
                                       .writable = {true},
                                       .runs_host_code = true});
    ASSERT_TRUE(player.has_value()) << describe(player.error());
    player_ = std::move(*player);
    BuiltObject object;
    object.format = "elf-so";
    object.path = KW_HOST_LAUNCHER;
    load(object);
  }
  device::LoadResult bind(Mode mode) {
    PlanStep step;
    step.kind = StepKind::Call;
    step.arguments = {number(0, mode), tensor(1, 0), number(2, kElements)};
    const Plan plan = plan_of({step});
    return player_->bind({.object = object_, .plan = &plan, .tensors = {0}, .workspaces = {}});
  }
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
  // Called once for what it does on first use, and once while it was captured.
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

TEST_F(HostLauncher, OneThatQueuesNothingIsSeen) {
  const auto bound = bind(kQueuesNothing);
  ASSERT_EQ(bound.fate, Fate::Returned) << bound.detail;
  EXPECT_NE(bound.why_not_captured.find("queues nothing"), std::string::npos);
}

TEST_F(HostLauncher, OneThatFailsIsRefusedWithItsNumber) {
  const auto bound = bind(kFails);
  EXPECT_EQ(bound.fate, Fate::LoadRefused);
  EXPECT_NE(bound.detail.find("answered 7"), std::string::npos) << bound.detail;
  EXPECT_TRUE(player_->is_alive());
}

TEST_F(HostLauncher, PlansOfKernelsAreNotForIt) {
  const Plan plan = plan_of({launch("saxpy", 1, 1, {})});
  const auto bound =
      player_->bind({.object = object_, .plan = &plan, .tensors = {0}, .workspaces = {}});
  EXPECT_EQ(bound.fate, Fate::LoadRefused);
  EXPECT_NE(bound.detail.find("runs no plan"), std::string::npos) << bound.detail;
}

TEST_F(WithPlayer, OfACandidateLoadsNoHostCode) {
  BuiltObject object;
  object.format = "elf-so";
  object.path = KW_HOST_LAUNCHER;
  EXPECT_EQ(player_->load(object).fate, Fate::LoadRefused);
}

}  // namespace
}  // namespace kw::testing_gpu
