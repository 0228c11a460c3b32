// Whole evaluations on a fake GPU: plans, workspaces, stamps, faults, and truths from the host or
// from a fast reference.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error_for_test.h"
#include "referee/gpu_room_for_test.h"

namespace kw::referee {
namespace {

using ::testing::AllOf;
using testing::GpuRoom;
using testing::kCols;
using testing::kPitch;
using testing::plan_kernel;
using testing::Sets;
using testing::timed;
using testing::twice;
using A = testing::Arguments<float>;

auto count(const std::vector<std::string>& log, const std::string& line) {
  return std::count(log.begin(), log.end(), line);
}

TEST(Gpu, JudgesAnHonestFasterKernelFasterByItsStamps) {
  GpuRoom room;
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Correct);
  EXPECT_TRUE(e.speedup.is_faster);
  EXPECT_NEAR(e.speedup.value, 2.0, 1e-9);
  EXPECT_EQ(timed(e).median_ns, 2e6);
  EXPECT_EQ(timed(e).empty_call_ns, 0);
  EXPECT_EQ(timed(e).calls_per_sample, 1);
}

TEST(Gpu, ReferencesRunOnTheHostAlone) {
  GpuRoom room;
  room.judge();
  EXPECT_EQ(count(room.world.log, "start reference"), 0);
  EXPECT_GT(count(room.host_world.log, "call reference"), 0);
  EXPECT_EQ(count(room.host_world.log, "call candidate"), 0);
}

TEST(Gpu, ModulesAreLoadedAnewBeforeEveryTimedCall) {
  GpuRoom room;
  const Evaluation e = room.judge();
  const auto samples = static_cast<std::ptrdiff_t>(timed(e).samples.size());
  EXPECT_GE(count(room.world.log, "forget candidate"), samples);
  EXPECT_GE(count(room.world.log, "forget opponent"), samples);
  // Caches are made cold after modules were loaded anew.
  for (std::size_t i = 0; i + 1 < room.world.log.size(); ++i)
    if (room.world.log[i] == "forget candidate") {
      EXPECT_EQ(room.world.log[i + 1], "flush");
      // The next reload of the modules begins as soon as the call is over, before the referee does
      // anything else.
      EXPECT_EQ(room.world.log[i + 2], "call candidate");
      EXPECT_EQ(room.world.log[i + 3], "begin_forget candidate");
    }
  // Every reload that began in the background is ended, so no process is left working.
  for (const char* who : {"candidate", "opponent"})
    EXPECT_EQ(count(room.world.log, std::string("end_forget ") + who), 1) << who;
}

TEST(Gpu, AProcessLivesOnThroughTheTimedCalls) {
  GpuRoom room;
  room.judge();
  EXPECT_EQ(count(room.world.log, "start candidate"), 1) << "for the small workloads as well";
  // The process loses the buffers of the small workloads before its first call at the timed one.
  std::vector<std::string> log;
  for (const std::string& line : room.world.log)
    if (line == "call candidate" || line == "keep_only candidate") log.push_back(line);
  ASSERT_GT(log.size(), 3u);
  EXPECT_EQ(count(log, "keep_only candidate"), 1);
  EXPECT_EQ(log[2], "keep_only candidate") << "there are two small workloads";
  room.request.id = "second";
  room.judge();
  EXPECT_EQ(count(room.world.log, "start candidate"), 2) << "new for every verdict";
}

TEST(Gpu, NoPlayerIsMadeReadyBehindTheLast) {
  GpuRoom room;
  room.request.measure.purpose = Purpose::Judge;
  room.request.measure.noise_floors["large"] = {};
  room.judge();
  EXPECT_EQ(room.world.last_players, 1) << "the opponent's";
}

TEST(Gpu, EveryTimedWorkloadHasAProcess) {
  GpuRoom room;
  room.request.workloads.push_back(testing::make_workload("larger", Group::Time, 50));
  room.add_plans("candidate");
  room.add_plans("opponent");
  EXPECT_VERDICT(room.judge(), Measure, Correct);
  EXPECT_EQ(count(room.world.log, "start candidate"), 2) << "the first shares that of small ones";
}

TEST(Gpu, APlanThatDoesNotFitItsKernelIsNotLaunched) {
  GpuRoom room;
  room.world.objects["candidate"].bind = {.fate = device::Fate::LoadRefused,
                                          .detail = "parameter 2 has 8 bytes, the plan passes 4"};
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Launch, LaunchFailed);
  EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::PlanNotBound);
  EXPECT_EQ(e.verdict.seen.detail, "parameter 2 has 8 bytes, the plan passes 4");
}

TEST(Gpu, ARequestWithoutThePlanIsAnError) {
  GpuRoom room;
  room.request.plans.clear();
  const auto e = room.referee->judge(room.request);
  EXPECT_THAT(e, IsErrorAbout(ErrorCode::Missing, "plan of the candidate"));
}

TEST(Gpu, NamesHowACallEnded) {
  const std::vector<std::pair<device::CallResult, std::pair<Stage, Outcome>>> ends{
      {{.fate = device::Fate::DeviceFault, .signal = 700}, {Stage::Run, Outcome::OutOfBounds}},
      {{.fate = device::Fate::DeviceFault, .signal = 719}, {Stage::Run, Outcome::Crashed}},
      {{.fate = device::Fate::DeviceFault, .signal = 702}, {Stage::Run, Outcome::TimedOut}},
      {{.fate = device::Fate::LaunchFailed}, {Stage::Launch, Outcome::LaunchFailed}},
      {{.fate = device::Fate::TimedOut}, {Stage::Run, Outcome::TimedOut}},
      {{.fate = device::Fate::OutOfMemory}, {Stage::Run, Outcome::OutOfResources}}};
  for (const auto& [result, wanted] : ends) {
    GpuRoom room;
    room.world.objects["candidate"].kernel = [=](const Sets&) { return result; };
    const Evaluation e = room.judge();
    EXPECT_EQ(e.verdict.stage, wanted.first) << e.verdict.evidence;
    EXPECT_EQ(e.verdict.outcome, wanted.second) << e.verdict.evidence;
    EXPECT_VERDICT(room.judge(twice<float>), Measure, Correct);
  }
}

TEST(Gpu, WhatTheGpuItselfFailedAtIsNobodysVerdict) {
  for (const int status : {46, 214, 220, 226}) {
    GpuRoom room;
    room.world.objects["candidate"].kernel = [=, &room](const Sets&) {
      room.world.has_failed = true;
      return device::CallResult{
          .fate = device::Fate::DeviceFault, .signal = status, .detail = "CUDA's words"};
    };
    const auto e = room.referee->judge(room.request);
    ASSERT_THAT(e, IsErrorAbout(ErrorCode::DeviceFailed, "candidate")) << status;
    EXPECT_EQ(e.error().advice, Advice::Retry);
    room.world.has_failed = false;
    EXPECT_VERDICT(room.judge(twice<float>), Measure, Correct);
  }
}

TEST(Gpu, AFaultOfTheGpuThatNobodyElseSeesIsTheCandidates) {
  for (const int status : {46, 214, 220, 226}) {
    GpuRoom room;
    room.world.objects["candidate"].kernel = [=](const Sets&) {
      return device::CallResult{.fate = device::Fate::DeviceFault, .signal = status};
    };
    EXPECT_VERDICT(room.judge(), Run, Crashed);
    EXPECT_VERDICT(room.judge(twice<float>), Measure, Correct);
  }
}

TEST(Gpu, AGpuThatIsLostToTheWorkerItselfIsNobodysVerdict) {
  GpuRoom room;
  room.world.objects["candidate"].kernel = [&](const Sets&) {
    room.world.lost = "the GPU is lost";
    return device::CallResult{.fate = device::Fate::DeviceFault, .signal = 214};
  };
  EXPECT_THAT(room.referee->judge(room.request),
              IsErrorAbout(ErrorCode::DeviceFailed, "the GPU is lost"));
}

TEST(Gpu, AFaultByWritingAnInputIsAModifiedInput) {
  GpuRoom room;
  room.world.objects["candidate"].kernel = [](const Sets& sets) {
    A(sets[0]).x[0] = 1;
    return device::CallResult{.fate = device::Fate::DeviceFault, .signal = 700};
  };
  EXPECT_VERDICT(room.judge(), Run, ModifiedInput);
}

TEST(Gpu, AnInputThatIsWrittenAndPutBackIsAModifiedInput) {
  GpuRoom room;
  int calls = 0;
  room.world.objects["candidate"].kernel = [&](const Sets& sets) {
    if (calls++ == 0) return device::CallResult{.fate = device::Fate::DeviceFault, .signal = 700};
    twice(A(sets[0]));
    return device::stamped_at(2e6);
  };
  EXPECT_VERDICT(room.judge(), Run, ModifiedInput);
}

TEST(Gpu, ADeviceThatDoesNotRecoverStopsTheWorker) {
  GpuRoom room;
  room.world.objects["candidate"].kernel = [&](const Sets&) {
    room.world.is_sane = false;
    return device::CallResult{.fate = device::Fate::DeviceFault, .signal = 719};
  };
  const auto e = room.referee->judge(room.request);
  ASSERT_FALSE(e.has_value());
  EXPECT_EQ(e.error().advice, Advice::Stop);
}

constexpr std::int64_t kScratch = 64;

TEST(Gpu, WorkspacesAreMadeAnewBeforeEveryCall) {
  for (const Initial initial : {Initial::Zero, Initial::Poison}) {
    GpuRoom room;
    room.add_plans("candidate", kScratch, initial);
    std::vector<std::vector<char>> seen;
    room.world.objects["candidate"].kernel = [&](const Sets& sets) {
      char* scratch = sets[0][3].tensor<char>();
      seen.emplace_back(scratch, scratch + kScratch);
      std::memset(scratch, 7, kScratch);
      twice(A(sets[0]));
      return device::stamped_at(2e6);
    };
    EXPECT_VERDICT(room.judge(), Measure, Correct);
    ASSERT_GT(seen.size(), 10u);
    for (std::size_t i = 0; i + 1 < seen.size(); ++i)
      EXPECT_EQ(seen[i] == seen[i + 1], initial == Initial::Zero);
    if (initial == Initial::Zero) {
      EXPECT_EQ(seen[5], std::vector<char>(kScratch, 0));
    }
  }
}

TEST(Gpu, SeesAWriteBehindAWorkspace) {
  GpuRoom room;
  room.add_plans("candidate", kScratch);
  room.world.objects["candidate"].kernel = [](const Sets& sets) {
    twice(A(sets[0]));
    sets[0][3].tensor<char>()[kScratch] ^= 1;
    return device::stamped_at(2e6);
  };
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Check, OutOfBounds);
  EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::WorkspaceGuardChanged);
  EXPECT_EQ(e.verdict.seen.subject, "scratch");
}

TEST(Gpu, WorkspacesBeyondTheTasksLimitAreRefused) {
  GpuRoom room;
  room.request.task.restrictions.workspace_bytes = 100;
  room.add_plans("candidate", 101);
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Launch, OutOfResources);
  EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::WorkspacesBeyondTask);
  EXPECT_THAT(e.verdict.seen.numbers, ::testing::ElementsAre(::testing::Ge(101), 100));
}

TEST(Gpu, AWorkspaceForWhichTheDriverHasNoRoomAfterAllEndsTheCandidateAlone) {
  GpuRoom room;
  constexpr std::int64_t kBytes = std::int64_t{1} << 20;
  room.add_plans("candidate", kBytes);
  room.world.most_bytes = kBytes - 1;
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Launch, OutOfResources);
  EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::NoRoomForWorkspace);
  EXPECT_EQ(e.verdict.seen.subject, "scratch");
  EXPECT_EQ(e.verdict.seen.detail, "out of memory");
  room.world.most_bytes = kBytes;
  EXPECT_VERDICT(room.judge(), Measure, Correct);
}

TEST(Gpu, TimesAsManyPairsAsAskedForAndChecksTheShareAskedFor) {
  GpuRoom room;
  room.request.measure.pairs = 100;
  room.request.measure.checked_share = 1.0 / 16;
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Correct);
  EXPECT_EQ(timed(e).samples.size(), 100u);
  EXPECT_EQ(timed(e).checked_share, 1.0 / 16);
  EXPECT_GT(timed(e).miss_probability, 0);
  EXPECT_LT(timed(e).miss_probability, std::pow(15.0 / 16, 90));
}

/// A kernel that computes twice x and records the first input of every call at the timed workload.
auto listening(std::vector<float>& asked) {
  return [&asked](const A& a) {
    if (a.rows == testing::kRows) asked.push_back(a.x[0]);
    twice(a);
  };
}

TEST(Gpu, EveryTimedCallHasASetThatItsProcessHasNotSeen) {
  GpuRoom room;
  room.request.measure.pairs = 64;
  std::vector<float> asked;
  const Evaluation e = room.judge(listening(asked));
  ASSERT_EQ(timed(e).samples.size(), 64u);
  ASSERT_EQ(timed(e).retimed.size(), 1u);
  std::set<int> sets;
  for (const Sample& sample : timed(e).samples) sets.insert(sample.input_set);
  EXPECT_EQ(sets.size(), 64u);
  // The kernel was checked twice on equal inputs and warmed up on other ones; after that every
  // timed call has inputs that the kernel has not seen.
  const auto timed_calls = static_cast<std::ptrdiff_t>(64 + timed(e).retimed[0].calls);
  ASSERT_GT(std::ssize(asked), timed_calls);
  const std::set<float> seen(asked.end() - timed_calls, asked.end());
  EXPECT_EQ(std::ssize(seen), timed_calls);
  for (auto before = asked.begin(); before != asked.end() - timed_calls; ++before)
    EXPECT_FALSE(seen.contains(*before));
}

TEST(Gpu, SetsThatTheFastReferenceAnswersAreSeenOnceToo) {
  GpuRoom room;
  room.add_fast(twice<double>);
  room.request.measure.pairs = 16;
  std::vector<float> asked;
  const Evaluation e = room.judge(listening(asked));
  EXPECT_VERDICT(e, Measure, Correct);
  std::set<int> sets;
  for (const Sample& sample : timed(e).samples) sets.insert(sample.input_set);
  EXPECT_EQ(sets.size(), 16u);
}

TEST(Gpu, WhereATruthIsDearProcessesAreReplacedInstead) {
  GpuRoom room;
  room.host_world.objects["f64"].kernel = testing::kernel<double>(1e9, twice<double>);
  room.request.measure.pairs = 12;
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Correct);
  std::map<int, int> times;
  for (const Sample& sample : timed(e).samples) ++times[sample.input_set];
  EXPECT_LT(times.size(), 12u);
  int most = 0;
  for (const auto& [set, count] : times) most = std::max(most, count);
  EXPECT_GE(count(room.world.log, "start candidate"), most);
}

TEST(Gpu, ReplayOfTheFirstAnswerIsCheating) {
  GpuRoom room;
  std::vector<float> answer;
  const Evaluation e = room.judge([&](const A& a) {
    if (a.rows < testing::kRows) return twice(a);
    if (answer.empty()) {
      twice(a);
      answer.assign(a.y, a.y + (a.rows - 1) * kPitch + kCols);
    } else {
      for (std::int64_t r = 0; r < a.rows; ++r)
        std::copy_n(answer.data() + r * kPitch, kCols, a.y + r * kPitch);
    }
  });
  EXPECT_VERDICT(e, Measure, Cheated);
  EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::ResultRemembered);
}

TEST(Gpu, TruthsOfWhatTheHostCannotAffordComeFromTheFastReference) {
  GpuRoom room;
  room.add_fast(twice<double>);
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Correct);
  EXPECT_GT(count(room.world.log, "call reference"), 2);
  // There are two small workloads; reference and baseline are called at each.
  EXPECT_EQ(count(room.host_world.log, "call reference"), 4);
}

TEST(Gpu, AFastReferenceIsVerifiedOnce) {
  GpuRoom room;
  room.add_fast(twice<double>);
  room.judge();
  const auto starts = count(room.world.log, "start reference");
  room.request.id = "second";
  room.judge();
  EXPECT_EQ(count(room.world.log, "start reference"), starts);
}

TEST(Gpu, WorkloadsThatAreTimedLaterKnowWhatToExpectToo) {
  GpuRoom room;
  room.request.workloads.push_back(testing::make_workload("larger", Group::Time, 50));
  room.add_plans("candidate");
  room.add_plans("opponent");
  room.add_fast(twice<double>);
  room.request.task.gate.c = 1e6;  // a first gate so loose that it would pass 9 bits
  room.request.measure.only = {"large"};
  EXPECT_VERDICT(room.judge(), Measure, Correct);
  room.request.measure.only = {"larger"};
  const Evaluation e = room.judge([](const A& a) {
    for (std::int64_t r = 0; r < a.rows; ++r)
      for (std::int64_t c = 0; c < kCols; ++c)
        a.y[r * kPitch + c] = a.rows < 50
                                  ? 2 * a.x[r * kPitch + c]
                                  : static_cast<float>(std::ldexp(
                                        std::rint(std::ldexp(2 * a.x[r * kPitch + c], 9)), -9));
  });
  EXPECT_VERDICT(e, Check, WrongResult);
  EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::RmsTooLarge);
}

TEST(Gpu, AFastReferenceThatDisagreesIsTheTasksFault) {
  GpuRoom room;
  room.add_fast([](const testing::Arguments<double>& a) {
    twice(a);
    a.y[2] *= 1 + 1e-8;
  });
  const auto e = room.referee->judge(room.request);
  EXPECT_THAT(e, IsErrorAbout(ErrorCode::TaskAtFault, "reference_fast"));
  EXPECT_FALSE(room.referee->judge(room.request).has_value()) << "it stays untrusted";
}

TEST(Gpu, AFastReferenceIsNotTrustedUnseen) {
  GpuRoom room;
  room.add_fast(twice<double>);
  std::erase_if(room.request.workloads, [](const Workload& w) { return w.group != Group::Time; });
  const auto e = room.referee->judge(room.request);
  EXPECT_THAT(e, IsErrorAbout(ErrorCode::Missing, "small workload"));
}

// The candidate keeps only nine bits at the large shape. The baseline's errors at the small shapes
// tell what the type can do.
TEST(Gpu, TheSecondGateHoldsWhereTheBaselineIsTooSlow) {
  GpuRoom room;
  room.add_fast([](const testing::Arguments<double>& a) {
    for (std::int64_t r = 0; r < a.rows; ++r)
      for (std::int64_t c = 0; c < kCols; ++c) a.y[r * kPitch + c] = 2.1 * a.x[r * kPitch + c];
  });
  const auto inexact = [](const auto& a) {
    using Real = std::remove_pointer_t<decltype(a.x)>;
    for (std::int64_t r = 0; r < a.rows; ++r)
      for (std::int64_t c = 0; c < kCols; ++c)
        a.y[r * kPitch + c] = static_cast<Real>(2.1) * a.x[r * kPitch + c];
  };
  room.host_world.objects["f64"].kernel = testing::kernel<double>(1e6, inexact);
  room.host_world.objects["native"].kernel = testing::kernel<float>(1e6, inexact);
  room.world.objects["slow"].kernel = plan_kernel<float>(4e6, inexact);
  room.request.task.gate.c = 1e6;  // a first gate so loose that it would pass 11 bits
  EXPECT_VERDICT(room.judge(inexact), Measure, Correct);
  const Evaluation e = room.judge([&](const A& a) {
    inexact(a);
    if (a.rows < testing::kRows) return;
    for (std::int64_t r = 0; r < a.rows; ++r)
      for (std::int64_t c = 0; c < kCols; ++c)
        a.y[r * kPitch + c] =
            static_cast<float>(std::ldexp(std::rint(std::ldexp(a.y[r * kPitch + c], 9)), -9));
  });
  EXPECT_VERDICT(e, Check, WrongResult);
  EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::RmsTooLarge);
}

TEST(Gpu, AHostLauncherIsTimedBothWays) {
  GpuRoom room;
  room.request.opponent.trust_class = TrustClass::HostLauncher;
  for (BuildUnit& unit : room.request.units)
    if (unit.role == "opponent") unit.object.front().format = "elf-so";
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Correct);
  EXPECT_EQ(e.opponent_class, TrustClass::HostLauncher);
  ASSERT_EQ(timed(e).host_launches.size(), 1u);
  const HostLaunch& launch = timed(e).host_launches.front();
  EXPECT_EQ(launch.role, "opponent");
  EXPECT_TRUE(launch.is_captured);
  EXPECT_EQ(launch.eager_ns, 4e6);
  EXPECT_GT(count(room.world.log, "call opponent by stream"), 0);
  EXPECT_EQ(count(room.world.log, "call candidate by stream"), 0);
}

TEST(Gpu, AHostLauncherThatCannotBeCapturedRunsByStreamAndSaysWhy) {
  GpuRoom room;
  room.world.objects["slow"].bind.why_not_captured = "it waits for its stream";
  for (BuildUnit& unit : room.request.units)
    if (unit.role == "opponent") unit.object.front().format = "elf-so";
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Correct);
  ASSERT_EQ(timed(e).host_launches.size(), 1u);
  EXPECT_FALSE(timed(e).host_launches[0].is_captured);
  EXPECT_EQ(timed(e).host_launches[0].why_not_captured, "it waits for its stream");
  EXPECT_EQ(timed(e).host_launches[0].eager_ns, 0);
}

}  // namespace
}  // namespace kw::referee
