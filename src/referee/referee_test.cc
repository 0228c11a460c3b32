// Whole evaluations on the fake device: honest kernels, and one mutant for every verdict.
// SPDX-License-Identifier: Apache-2.0
#include "referee/referee.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error_for_test.h"
#include "referee/testing.h"

namespace kw::referee {
namespace {

using ::testing::AllOf;
using testing::Arguments;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::kCols;
using testing::kPitch;
using testing::kRows;
using testing::make_workload;
using testing::Room;
using testing::twice;
using A = Arguments<float>;

TEST(Referee, JudgesAnHonestFasterKernelFaster) {
  Room room;
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Correct);
  EXPECT_TRUE(e.speedup.is_faster);
  EXPECT_NEAR(e.speedup.value, 2.0, 0.01);
  ASSERT_EQ(e.workloads.size(), 3u);
  EXPECT_NEAR(e.workloads[2].median_ns, 2e6, 1);
  EXPECT_EQ(e.workloads[2].empty_call_ns, 20'000);
  EXPECT_GE(e.workloads[2].samples.size(), 9u);
  EXPECT_EQ(e.object_sha256, "candidate");
}

TEST(Referee, DoesNotCallAnEqualKernelFaster) {
  Room room;
  const Evaluation e = room.judge(twice<float>, 4e6);
  EXPECT_VERDICT(e, Measure, Correct);
  EXPECT_FALSE(e.speedup.is_faster);
}

TEST(Referee, StopsWhereAsked) {
  Room room;
  room.request.until = Stage::Check;
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Check, Correct);
  EXPECT_TRUE(e.workloads[2].samples.empty());
}

TEST(Referee, TimesAloneWithoutAnOpponent) {
  Room room;
  room.request.opponent.source.clear();
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Correct);
  EXPECT_EQ(e.speedup.value, 0);
  EXPECT_NEAR(e.workloads[2].median_ns, 2e6, 1);
}

TEST(Referee, KeepsTruthsAndOpponentForTheNextCandidate) {
  Room room;
  room.judge();
  const auto references =
      std::count(room.world.log.begin(), room.world.log.end(), "start reference");
  const int started = room.world.players_started;
  room.request.id = "second";
  room.judge();
  EXPECT_EQ(std::count(room.world.log.begin(), room.world.log.end(), "start reference"),
            references);
  EXPECT_LT(room.world.players_started - started, started);
}

TEST(Referee, ConfirmationReusesNothing) {
  Room room;
  const Evaluation search = room.judge();
  room.request.measure.purpose = Purpose::Confirm;
  const auto references =
      std::count(room.world.log.begin(), room.world.log.end(), "start reference");
  const Evaluation confirm = room.judge();
  EXPECT_VERDICT(confirm, Measure, Correct);
  EXPECT_NE(search.workloads[2].seed, confirm.workloads[2].seed);
  EXPECT_GT(std::count(room.world.log.begin(), room.world.log.end(), "start reference"),
            references);
}

TEST(Referee, EveryTimedCallIsCold) {
  Room room;
  const Evaluation e = room.judge();
  EXPECT_GE(room.world.flushes, static_cast<int>(2 * e.workloads[2].samples.size()));
}

TEST(Referee, NamesHowLoadingEnded) {
  const std::map<device::Fate, Outcome> ends{{device::Fate::LoadRefused, Outcome::LoadFailed},
                                             {device::Fate::Exited, Outcome::LoadFailed},
                                             {device::Fate::Crashed, Outcome::Crashed},
                                             {device::Fate::TimedOut, Outcome::TimedOut},
                                             {device::Fate::OutOfMemory, Outcome::OutOfResources},
                                             {device::Fate::BadProtocol, Outcome::Cheated}};
  for (const auto& [fate, outcome] : ends) {
    Room room;
    room.world.objects["candidate"].load = {.fate = fate, .object = 0, .detail = ""};
    const Evaluation e = room.judge();
    EXPECT_EQ(e.verdict.stage, Stage::Load);
    EXPECT_EQ(e.verdict.outcome, outcome) << e.verdict.evidence;
  }
}

TEST(Referee, NamesHowACallEnded) {
  const std::vector<std::pair<device::CallResult, Outcome>> ends{
      {{.fate = device::Fate::Crashed, .signal = 11, .fault_in_guard = true}, Outcome::OutOfBounds},
      {{.fate = device::Fate::Crashed, .signal = 11}, Outcome::Crashed},
      {{.fate = device::Fate::Crashed, .signal = 8}, Outcome::Crashed},
      {{.fate = device::Fate::TimedOut}, Outcome::TimedOut},
      {{.fate = device::Fate::Exited}, Outcome::Crashed},
      {{.fate = device::Fate::OutOfMemory}, Outcome::OutOfResources},
      {{.fate = device::Fate::BadProtocol}, Outcome::Cheated}};
  for (const auto& [result, outcome] : ends) {
    Room room;
    room.world.objects["candidate"].kernel = [=](const auto&) { return result; };
    const Evaluation e = room.judge();
    EXPECT_EQ(e.verdict.stage, Stage::Run);
    EXPECT_EQ(e.verdict.outcome, outcome) << e.verdict.evidence;
    if (result.fate == device::Fate::Crashed) {
      ASSERT_FALSE(e.verdict.seen.numbers.empty());
      EXPECT_EQ(e.verdict.seen.numbers[0], result.signal);
    }
  }
}

TEST(Referee, EndingByItselfIsSaid) {
  Room room;
  room.world.objects["candidate"].kernel = [](const auto&) {
    return device::CallResult{.fate = device::Fate::Exited};
  };
  const Evidence seen = room.judge().verdict.seen;
  EXPECT_EQ(seen.kind, EvidenceKind::CallExited);
  EXPECT_THAT(seen.numbers, ::testing::ElementsAre(64)) << "the limit of threads";
}

TEST(Referee, ACrashByWritingAReadOnlyInputIsAModifiedInput) {
  Room room;
  room.world.objects["candidate"].kernel = [](const auto& sets) {
    A(sets[0]).x[0] = 1;
    return device::CallResult{.fate = device::Fate::Crashed, .signal = 11};
  };
  EXPECT_VERDICT(room.judge(), Run, ModifiedInput);
}

TEST(Referee, SeesOneByteBeforeAndAfterATensor) {
  for (const bool after : {false, true}) {
    Room room;
    const Evaluation e = room.judge([=](const A& a) {
      twice(a);
      auto* y = reinterpret_cast<char*>(a.y);
      y[after ? ((a.rows - 1) * kPitch + kCols) * 4 : -1] ^= 1;
    });
    EXPECT_VERDICT(e, Check, OutOfBounds);
    // The damage does not count against the next candidate.
    EXPECT_VERDICT(room.judge(twice<float>), Measure, Correct);
  }
}

TEST(Referee, SeesWritesToRowPadding) {
  Room room;
  EXPECT_VERDICT(room.judge([](const A& a) {
    twice(a);
    if (a.rows > 1) a.y[kCols] = 0;
  }),
                 Check, OutOfBounds);
}

TEST(Referee, SeesWritesToInputs) {
  Room room;
  EXPECT_VERDICT(room.judge([](const A& a) {
    twice(a);
    a.x[0] = 0;
  }),
                 Check, ModifiedInput);
}

TEST(Referee, SeesTheTrickOfZeroingTheInputFirst) {
  Room room;
  EXPECT_VERDICT(room.judge([](const A& a) {
    for (int i = 0; i < kCols; ++i) a.x[i] = a.y[i] = 0;
  }),
                 Check, ModifiedInput);
}

TEST(Referee, WritingNothingIsSeenAsSuch) {
  Room room;
  const Evaluation e = room.judge([](const A&) {});
  EXPECT_VERDICT(e, Check, WrongResult);
  EXPECT_THAT(e.findings, Contains(Field(&Finding::pattern, MismatchPattern::Unwritten)));
}

TEST(Referee, SeesTheLastRowMissing) {
  Room room;
  const Evaluation e = room.judge([](const A& a) {
    A shorter = a;
    if (a.rows > 1) --shorter.rows;
    twice(shorter);
  });
  EXPECT_VERDICT(e, Check, WrongResult);
  // The numbers of the mismatch, then the dimension and its last index.
  const auto mismatch = std::ranges::find(e.findings, FindingKind::Mismatch, &Finding::kind);
  ASSERT_NE(mismatch, e.findings.end());
  EXPECT_EQ(mismatch->pattern, MismatchPattern::Tail);
  EXPECT_EQ(mismatch->about, name_of(e.verdict.seen.kind));
  std::vector<double> numbers = e.verdict.seen.numbers;
  numbers.insert(numbers.end(), {0, 38});
  EXPECT_EQ(mismatch->numbers, numbers);
}

TEST(Referee, SeesNanAndInfinity) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Room room;
    const Evaluation e = room.judge([=](const A& a) {
      twice(a);
      a.y[3] = bad;
    });
    EXPECT_VERDICT(e, Check, WrongResult);
    EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::ElementsWrong);
    EXPECT_THAT(e.verdict.seen.numbers, ::testing::ElementsAre(1, ::testing::Gt(1), 1));
  }
}

TEST(Referee, SecondGateSeesLessPreciseArithmetic) {
  Room room;
  room.request.task.gate.c = 1e6;  // a first gate so loose that it would pass 11 bits
  const Evaluation e = room.judge([](const A& a) {
    for (std::int64_t r = 0; r < a.rows; ++r)
      for (std::int64_t c = 0; c < kCols; ++c)
        a.y[r * kPitch + c] =
            2 * static_cast<float>(std::ldexp(std::rint(std::ldexp(a.x[r * kPitch + c], 9)), -9));
  });
  EXPECT_VERDICT(e, Check, WrongResult);
  EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::RmsTooLarge);
  EXPECT_EQ(e.verdict.seen.tensor, "y");
  const double allowed = room.request.task.gate.rms_factor;
  EXPECT_THAT(e.verdict.seen.numbers,
              ::testing::ElementsAre(::testing::Lt(0.01), ::testing::Gt(allowed), allowed));
}

TEST(Referee, AReferenceThatIsNotFiniteIsTheTasksFault) {
  Room room;
  room.world.objects["f64"].kernel = testing::kernel<double>(1e6, [](const Arguments<double>& a) {
    twice(a);
    a.y[1] = std::numeric_limits<double>::infinity();
  });
  const auto e = room.referee.judge(room.request);
  EXPECT_THAT(e, IsErrorAbout(ErrorCode::TaskAtFault, "not finite"));
}

TEST(Referee, AReferenceThatCrashesIsTheTasksFault) {
  Room room;
  room.world.objects["f64"].kernel = [](const auto&) {
    return device::CallResult{.fate = device::Fate::Crashed, .signal = 11};
  };
  const auto e = room.referee.judge(room.request);
  EXPECT_THAT(e, IsErrorAbout(ErrorCode::TaskAtFault, "call_crashed"));
}

TEST(Referee, SeesAnEndBetweenCalls) {
  Room room;
  room.world.objects["candidate"].after = {.has_ended = true};
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Check, Crashed);
  EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::ExitAfterReturn);
}

TEST(Referee, SeesLateWork) {
  Room room;
  room.world.objects["candidate"].after = {.late_cpu_ns = 2e6, .processes_left = 0};
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Check, Cheated);
  EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::WorkAfterReturn);
  EXPECT_THAT(e.verdict.seen.numbers, ::testing::ElementsAre(2, ::testing::Lt(2)));
}

TEST(Referee, SeesAnOutputThatChangesAfterTheReturn) {
  Room room;
  float* latest = nullptr;
  room.world.objects["candidate"].late = [&] { latest[0] += 1; };
  const Evaluation e = room.judge([&](const A& a) {
    twice(a);
    latest = a.y;
  });
  EXPECT_VERDICT(e, Check, Cheated);
  EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::OutputChangedLater);
  EXPECT_THAT(e.verdict.seen.numbers,
              ::testing::ElementsAre(AllOf(::testing::Ge(1), ::testing::Le(4))));
}

TEST(Referee, PassiveThreadsAreHonest) {
  Room room;
  room.world.objects["candidate"].after = {.late_cpu_ns = 40e3, .processes_left = 0};
  EXPECT_VERDICT(room.judge(), Measure, Correct);
}

TEST(Referee, LateWorkThatShowsOnceIsNoProof) {
  Room room;
  int watches = 0;
  device::FakeObject& candidate = room.world.objects["candidate"];
  candidate.late = [&] { candidate.after.late_cpu_ns = watches++ % 20 == 0 ? 2e6 : 0; };
  EXPECT_VERDICT(room.judge(), Measure, Correct);
  EXPECT_GT(watches, 2);
}

TEST(Referee, LateWorkInOneOfThreeCallsIsNoProof) {
  Room room;
  int watches = 0;
  device::FakeObject& candidate = room.world.objects["candidate"];
  candidate.late = [&] { candidate.after.late_cpu_ns = watches++ % 3 == 0 ? 2e6 : 0; };
  EXPECT_VERDICT(room.judge(), Measure, Correct);
  EXPECT_GT(watches, 6);
}

TEST(Referee, SeesLateWorkThatBeginsWithTheTimedCalls) {
  Room room;
  int watches = 0;
  device::FakeObject& candidate = room.world.objects["candidate"];
  candidate.late = [&] { candidate.after.late_cpu_ns = ++watches > 3 ? 2e6 : 0; };
  EXPECT_VERDICT(room.judge(), Measure, Cheated);
}

TEST(Referee, ABaselineOfTheTaskMaySpin) {
  Room room;
  room.request.candidate.origin = Origin::Baseline;
  room.world.objects["candidate"].after = {.late_cpu_ns = 2e6, .processes_left = 0};
  EXPECT_VERDICT(room.judge(), Measure, Correct);
}

TEST(Referee, SeesProcessesLeftBehind) {
  Room room;
  room.world.objects["candidate"].after = {.late_cpu_ns = 0, .processes_left = 1};
  EXPECT_VERDICT(room.judge(), Check, Cheated);
}

// What a candidate's process remembers between calls. The fake's closures outlive processes, so the
// memory is cleared when a new process starts.
class Memory {
 public:
  explicit Memory(const device::FakeWorld& world) : world_(world) {}

  std::vector<float>& answer_for(const std::vector<float>& key) {
    const auto lives = std::count(world_.log.begin(), world_.log.end(), "load candidate");
    if (std::exchange(life_, lives) != lives) answers_.clear();
    return answers_[key];
  }
  /// Whether the call in progress is a timed one: caches were made cold right before it.
  bool is_timed() const { return world_.log[world_.log.size() - 2] == "flush"; }
  auto lives() const { return life_; }

 private:
  const device::FakeWorld& world_;
  std::ptrdiff_t life_ = 0;
  std::map<std::vector<float>, std::vector<float>> answers_;
};

void copy_rows(const float* from, const A& to) {
  for (std::int64_t r = 0; r < to.rows; ++r)
    std::copy_n(from + r * kPitch, kCols, to.y + r * kPitch);
}

std::vector<float> whole_output(const A& a) { return {a.y, a.y + (a.rows - 1) * kPitch + kCols}; }

TEST(Referee, ACacheByContentNeverHitsInATimedCall) {
  Room room;
  Memory memory(room.world);
  int timed_hits = 0;
  int other_hits = 0;
  const Evaluation e = room.judge([&](const A& a) {
    auto& answer = memory.answer_for({a.x, a.x + kCols});
    if (answer.empty()) {
      twice(a);
      answer = whole_output(a);
    } else {
      (memory.is_timed() ? timed_hits : other_hits)++;
      copy_rows(answer.data(), a);
    }
  });
  EXPECT_VERDICT(e, Measure, Correct);
  EXPECT_LE(timed_hits, 1)
      << "beside the estimate on the warm-up's inputs, which counts for nothing";
  EXPECT_GT(other_hits, 0) << "the cache of this test does not work";
  EXPECT_GT(memory.lives(), 3);
}

TEST(Referee, ReplayOfTheFirstAnswerIsCheating) {
  Room room;
  Memory memory(room.world);
  const Evaluation e = room.judge([&](const A& a) {
    auto& answer = memory.answer_for({static_cast<float>(a.rows)});
    if (answer.empty()) {
      twice(a);
      answer = whole_output(a);
    } else {
      copy_rows(answer.data(), a);
    }
  });
  EXPECT_VERDICT(e, Measure, Cheated);
  EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::ResultRemembered);
}

TEST(Referee, SkippingLaterCallsIsSeen) {
  Room room;
  int calls = 0;
  const Evaluation e = room.judge([&](const A& a) {
    if (a.rows != kRows || ++calls < 12) twice(a);
  });
  EXPECT_VERDICT(e, Measure, WrongResult);
}

TEST(Referee, SkippingLaterCallsAtAnyShapeIsSeenBeforeAnythingIsTimed) {
  Room room;
  int calls = 0;
  const Evaluation e = room.judge(
      [&](const A& a) {
        if (++calls <= 20) twice(a);
      },
      1e5);
  EXPECT_VERDICT(e, Check, WrongResult);
  EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::ElementsWrong);
  EXPECT_GT(e.verdict.seen.more_calls, 0);
}

auto wobbling(int& calls) {
  return [&calls](const A& a) {
    twice(a);
    if (++calls % 2 == 0) a.y[1] = std::nextafter(a.y[1], 1e9f);
  };
}

TEST(Referee, NondeterminismWithinToleranceIsRecorded) {
  Room room;
  int calls = 0;
  const Evaluation e = room.judge(wobbling(calls));
  EXPECT_VERDICT(e, Measure, Correct);
  EXPECT_TRUE(e.workloads[2].is_nondeterministic);
}

TEST(Referee, NondeterminismFailsWhereTheTaskForbidsIt) {
  Room room;
  room.request.task.restrictions.deterministic = true;
  int calls = 0;
  EXPECT_VERDICT(room.judge(wobbling(calls)), Check, WrongResult);
}

TEST(Referee, AWorkloadThatDoesNotFitIsSkippedAloud) {
  Room room;
  room.world.free_bytes = 20'000;
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Unmeasurable);
  ASSERT_EQ(e.skipped.size(), 1u);
  EXPECT_EQ(e.skipped[0].name, "large");
}

TEST(Referee, AConfirmationIsWithoutAWorkloadThatTheDeviceCanNeverHold) {
  const auto confirm = [](std::int64_t memory) {
    Room room;
    room.request.measure.purpose = Purpose::Confirm;
    room.request.workloads.push_back(make_workload("huge", Group::Time, 100 * kRows));
    room.world.free_bytes = 1'000'000;
    room.world.facts.memory_bytes = memory;
    return room.judge();
  };
  const Evaluation e = confirm(2'000'000);
  EXPECT_VERDICT(e, Measure, Correct);
  ASSERT_EQ(e.skipped.size(), 1u);
  EXPECT_EQ(e.skipped[0].name, "huge");
  EXPECT_THAT(e.skipped[0].reason, HasSubstr("this device has 1.91 MiB in all"));
  // A certificate covers every shape that fits, and this workload may fit once the memory is free.
  EXPECT_VERDICT(confirm(16'000'000'000), Measure, Unmeasurable);
}

TEST(Referee, TroubleOfTheDeviceIsAnError) {
  Room room;
  room.world.fail_starts = 1000;
  EXPECT_FALSE(room.referee.judge(room.request).has_value());
}

}  // namespace
}  // namespace kw::referee
