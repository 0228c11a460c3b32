// What the player of a candidate or of an opponent answers to any request decides the fate of that
// program, and never ends a run.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "referee/fate.h"
#include "referee/gpu_room_for_test.h"

namespace kw::referee {
namespace {

using device::CallResult;
using device::Fate;
using testing::GpuRoom;
using ::testing::IsEmpty;
using testing::kernel;
using testing::plan_kernel;
using testing::Room;
using testing::Sets;
using testing::twice;
using A = testing::Arguments<float>;

/// Every end of a call that a player, or whoever speaks in its place, can bring about.
std::vector<CallResult> bad_ends() {
  std::vector<CallResult> ends;
  for (const Fate fate : {Fate::LoadRefused, Fate::TimedOut, Fate::Exited, Fate::OutOfMemory,
                          Fate::BadProtocol, Fate::LaunchFailed})
    ends.push_back({.fate = fate, .detail = "words"});
  for (const int signal : {0, 4, 6, 7, 8, 9, 11, 19, 31, 64, -1})
    ends.push_back({.fate = Fate::Crashed, .signal = signal});
  ends.push_back({.fate = Fate::Crashed, .signal = 11, .fault_in_guard = true});
  for (const int status : {-1, 0, 1, 2, 46, 200, 214, 220, 226, 700, 702, 719, 999})
    ends.push_back({.fate = Fate::DeviceFault, .signal = status});
  return ends;
}

std::string words_of(const CallResult& end) { return referee::words_of(end.fate, end.signal); }

/// A kernel whose calls end badly from the nth on.
template <class Real>
device::FakeKernel ends_at(int nth, CallResult end, double ns, bool is_plan) {
  return [=, calls = 0](const Sets& sets) mutable {
    if (++calls >= nth) return end;
    for (const auto& set : sets) twice(testing::Arguments<Real>(set));
    return is_plan ? device::stamped_at(ns)
                   : device::returned_after(20'000 + ns * static_cast<double>(sets.size()));
  };
}

TEST(PlayerWords, OfACallAreTheCandidatesFateOnBothTargets) {
  for (const CallResult& end : bad_ends())
    for (const int nth : {1, 2, 4, 7, 20}) {
      Room room;
      room.world.objects["candidate"].kernel = ends_at<float>(nth, end, 2e6, false);
      const auto e = room.referee.judge(room.request);
      ASSERT_TRUE(e.has_value()) << words_of(end) << ": " << e.error().what;
      EXPECT_FALSE(e->verdict.is_correct()) << words_of(end);
      EXPECT_VERDICT(room.judge(twice<float>), Measure, Correct);

      GpuRoom gpu;
      gpu.world.objects["candidate"].kernel = ends_at<float>(nth, end, 2e6, true);
      const auto on_gpu = gpu.referee->judge(gpu.request);
      ASSERT_TRUE(on_gpu.has_value()) << words_of(end) << ": " << on_gpu.error().what;
      EXPECT_FALSE(on_gpu->verdict.is_correct()) << words_of(end);
      EXPECT_VERDICT(gpu.judge(twice<float>), Measure, Correct);
    }
}

TEST(PlayerWords, OfLoadingAndBindingAreTheCandidatesFate) {
  for (const CallResult& end : bad_ends()) {
    const device::LoadResult refusal{.fate = end.fate, .object = 1 << 30, .detail = end.detail};
    Room room;
    room.world.objects["candidate"].load = refusal;
    EXPECT_FALSE(room.judge().verdict.is_correct()) << words_of(end);
    for (auto at : {&device::FakeObject::load, &device::FakeObject::bind}) {
      GpuRoom gpu;
      gpu.world.objects["candidate"].*at = refusal;
      const auto e = gpu.referee->judge(gpu.request);
      ASSERT_TRUE(e.has_value()) << words_of(end) << ": " << e.error().what;
      EXPECT_FALSE(e->verdict.is_correct()) << words_of(end);
    }
  }
}

TEST(PlayerWords, BetweenCallsOfAGpuAreTheCandidatesFate) {
  for (const CallResult& end : bad_ends())
    for (auto at : {&device::FakeObject::forget, &device::FakeObject::keep_only,
                    &device::FakeObject::empty}) {
      GpuRoom gpu;
      gpu.world.objects["candidate"].*at = end;
      const auto e = gpu.referee->judge(gpu.request);
      ASSERT_TRUE(e.has_value()) << words_of(end) << ": " << e.error().what;
      EXPECT_FALSE(e->verdict.is_correct()) << words_of(end);
      gpu.world.objects["candidate"].*at = {};
      EXPECT_VERDICT(gpu.judge(twice<float>), Measure, Correct);
    }
}

TEST(PlayerWords, OfAnOpponentThatIsACandidateStopNothing) {
  for (const CallResult& end : bad_ends())
    for (const int nth : {1, 2, 3, 9}) {
      Room room;
      room.world.objects["slow"].kernel = ends_at<float>(nth, end, 4e6, false);
      const auto e = room.referee.judge(room.request);
      ASSERT_TRUE(e.has_value()) << words_of(end) << ": " << e.error().what;
      EXPECT_VERDICT(*e, Measure, Unmeasurable);
      EXPECT_EQ(e->opponent_fault, e->verdict.evidence);
      EXPECT_EQ(e->verdict.seen.kind, EvidenceKind::OpponentFailed);
      EXPECT_EQ(e->verdict.seen.subject, "slow");
      EXPECT_FALSE(e->speedup.is_faster);

      GpuRoom gpu;
      gpu.world.objects["slow"].kernel = ends_at<float>(nth, end, 4e6, true);
      const auto on_gpu = gpu.referee->judge(gpu.request);
      ASSERT_TRUE(on_gpu.has_value()) << words_of(end) << ": " << on_gpu.error().what;
      EXPECT_VERDICT(*on_gpu, Measure, Unmeasurable);
      EXPECT_EQ(on_gpu->opponent_fault, on_gpu->verdict.evidence);
      EXPECT_EQ(on_gpu->verdict.seen.kind, EvidenceKind::OpponentFailed);
    }
}

TEST(PlayerWords, OfAnOpponentThatWillNotLoadOrBindStopNothing) {
  for (auto at : {&device::FakeObject::load, &device::FakeObject::bind}) {
    GpuRoom gpu;
    gpu.world.objects["slow"].*at = {.fate = Fate::BadProtocol, .object = -1};
    const auto e = gpu.referee->judge(gpu.request);
    ASSERT_TRUE(e.has_value()) << e.error().what;
    EXPECT_VERDICT(*e, Measure, Unmeasurable);
    EXPECT_EQ(e->opponent_fault, e->verdict.evidence);
    EXPECT_EQ(e->verdict.seen.kind, EvidenceKind::OpponentFailed);
  }
}

TEST(PlayerWords, AnOpponentThatIsWrongIsAFaultOfItsOwn) {
  Room room;
  room.world.objects["slow"].kernel = kernel<float>(4e6, [](const A&) {});
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Unmeasurable);
  EXPECT_EQ(e.opponent_fault, e.verdict.evidence);
  ASSERT_EQ(e.verdict.seen.kind, EvidenceKind::OpponentFailed);
  EXPECT_EQ(e.verdict.seen.cause.at(0).kind, EvidenceKind::OpponentWrong);
}

TEST(PlayerWords, ABaselineThatGoesWrongIsTheTasksTrouble) {
  Room room;
  room.request.opponent.origin = Origin::Baseline;
  room.world.objects["slow"].kernel = kernel<float>(4e6, [](const A&) {});
  EXPECT_FALSE(room.referee.judge(room.request).has_value());
  room.world.objects["slow"].kernel =
      ends_at<float>(6, {.fate = Fate::Crashed, .signal = 11}, 4e6, false);
  EXPECT_FALSE(room.referee.judge(room.request).has_value());
}

TEST(PlayerWords, ABaselineThatFailsBesideACandidateAloneStopsNothing) {
  Room room;
  room.request.opponent.origin = Origin::Baseline;
  room.world.objects["slow"].kernel = [calls = 0](const Sets& sets) mutable {
    if (++calls == 6) return CallResult{.fate = Fate::OutOfMemory};
    for (const auto& set : sets) twice(A(set));
    return device::returned_after(20'000 + 4e6 * static_cast<double>(sets.size()));
  };
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Unmeasurable);
  EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::OpponentDisturbed);
  EXPECT_EQ(e.verdict.seen.cause.at(0).kind, EvidenceKind::CallOutOfMemory);
  EXPECT_THAT(e.opponent_fault, IsEmpty());
  EXPECT_VERDICT(room.judge(twice<float>), Measure, Correct);
}

}  // namespace
}  // namespace kw::referee
