// What timed pairs show on the fake device: samples of several calls, and noise floors.
// SPDX-License-Identifier: Apache-2.0
#include "referee/timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "referee/lateness.h"
#include "referee/testing.h"

namespace kw::referee {
namespace {

using testing::Room;
using testing::twice;

TEST(Timing, ARememberedFloorLetsWinsPassAndIsMeasuredAgainBeforeItStopsOne) {
  const auto judged = [](NoiseFloor remembered) {
    Room room;
    room.request.measure.noise_floors["large"] = remembered;
    return room.judge(twice<float>, 4e6 / 1.04).speedup;
  };
  const Speedup passed = judged({0.01, 4});
  EXPECT_TRUE(passed.is_faster);
  EXPECT_EQ(passed.noise_floor, 0.01);
  EXPECT_EQ(passed.floor_series, 4);
  const Speedup again = judged({0.05, 4});  // the fake device shows no noise
  EXPECT_TRUE(again.is_faster);
  EXPECT_NEAR(*again.noise_floor, 0.0351, 0.0001);
  EXPECT_EQ(again.floor_series, 8);
  const Speedup known_well = judged({0.05, 16});
  EXPECT_FALSE(known_well.is_faster);
  EXPECT_EQ(known_well.noise_floor, 0.05);
}

TEST(Timing, AFloorIsMeasuredWhereAWinDependsOnIt) {
  Room room;  // the opponent takes 4 ms
  const Speedup small = room.judge(twice<float>, 4e6 / 1.04).speedup;
  EXPECT_TRUE(small.is_faster);
  EXPECT_EQ(small.floor_series, 4);
  Room other;
  const Speedup large = other.judge(twice<float>, 4e6 / 6).speedup;
  EXPECT_TRUE(large.is_faster);
  EXPECT_EQ(large.noise_floor, std::nullopt);
  Room known;
  known.request.measure.noise_floors["large"] = {5.5, 16};
  const Speedup remembered = known.judge(twice<float>, 4e6 / 6).speedup;
  EXPECT_FALSE(remembered.is_faster) << "what is known counts, whatever the win";
  EXPECT_EQ(remembered.noise_floor, 5.5);
}

TEST(Timing, ASampleOfShortCallsHasARequestForEach) {
  Room room;
  const Evaluation e = room.judge(twice<float>, 0.2e6);
  EXPECT_VERDICT(e, Measure, Correct);
  EXPECT_GE(e.workloads[2].calls_per_sample, 5);
  EXPECT_NEAR(e.workloads[2].median_ns, 0.2e6, 5e3);
}

TEST(Timing, CallsOfASampleFindTheirInputsInOnePlaceOneAfterTheOther) {
  Room room;
  std::set<const float*> places;
  std::set<std::vector<float>> inputs;
  int calls = 0;
  const Evaluation e = room.judge(
      [&](const testing::Arguments<float>& a) {
        if (a.rows == testing::kRows) {
          ++calls;
          places.insert(a.x);
          inputs.insert(std::vector<float>(a.x, a.x + 8));
        }
        twice(a);
      },
      0.2e6);
  EXPECT_VERDICT(e, Measure, Correct);
  EXPECT_EQ(places.size(), 1u) << "addresses tell which call of a sample this is";
  EXPECT_GE(inputs.size(), 5u);
  EXPECT_GT(calls, 20);
}

// Judges a candidate and an opponent whose threads use this much processor time, in ns, outside of
// their calls.
Evaluation judge_lateness_of(double candidate_ns, double opponent_ns) {
  Room room;
  const auto late = [](device::FakeObject& object, double ns) {
    object.kernel = [plain = object.kernel, ns](const auto& sets) {
      device::CallResult result = plain(sets);
      result.outside_ns = ns;
      return result;
    };
  };
  room.world.objects["candidate"].kernel = testing::kernel<float>(2e6, twice<float>);
  late(room.world.objects["candidate"], candidate_ns);
  late(room.world.objects["slow"], opponent_ns);
  return room.judge();
}

TEST(Timing, WorkOutsideOfCallsIsCheatingOnlyWhereTheOpponentDoesNone) {
  EXPECT_VERDICT(judge_lateness_of(0, 0), Measure, Correct);
  // Up to a hundredth of the call's time may be used outside of the call.
  EXPECT_VERDICT(judge_lateness_of(15e3, 15e3), Measure, Correct);
  EXPECT_VERDICT(judge_lateness_of(1e6, 0), Measure, Cheated);
  // If both programs are late, the host is busy.
  EXPECT_VERDICT(judge_lateness_of(1e6, 1e6), Measure, Unmeasurable);
}

TEST(Timing, LateSamplesAreToldWithThoseOfTheOpponent) {
  Lateness candidate;
  Lateness opponent;
  for (int i = 0; i < 10; ++i) candidate.tell(i < 9 ? 2e6 : 0, 1e6, 1);
  for (int i = 0; i < 12; ++i) opponent.tell(i < 1 ? 2e6 : 0, 1e6, 1);
  const auto both = judge_lateness(candidate, &opponent, "w");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->outcome, Outcome::Cheated);
  EXPECT_EQ(both->seen.kind, EvidenceKind::WorkOutside);
  EXPECT_THAT(both->seen.numbers, ::testing::ElementsAre(9, 10, 2e6, 1, 12));
  const auto alone = judge_lateness(candidate, nullptr, "w");
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->seen.kind, EvidenceKind::WorkOutsideAlone);
  EXPECT_THAT(alone->seen.numbers, ::testing::ElementsAre(9, 10, 2e6));
}

TEST(Timing, TheOpponentsSampleHasAsManyCallsAsItNeeds) {
  Room room;  // the opponent takes 4 ms
  const WorkloadResult brief = room.judge(twice<float>, 0.2e6).workloads[2];
  EXPECT_GT(brief.calls_per_sample, 2 * brief.opponent_calls_per_sample);
  EXPECT_GE(brief.opponent_calls_per_sample * brief.opponent_ns, 1e6);
  EXPECT_NEAR(brief.opponent_ns, 4e6, 4e4);
}

TEST(Timing, NearATieBothLegsHaveAsManyCallsASample) {
  Room room;
  room.world.objects["slow"].kernel = testing::kernel<float>(0.3e6, twice<float>);
  const WorkloadResult near = room.judge(twice<float>, 0.2e6).workloads[2];
  EXPECT_GE(near.calls_per_sample, 5);
  EXPECT_EQ(near.opponent_calls_per_sample, near.calls_per_sample);
}

TEST(Timing, TheOpponentsSampleLastsNoShorterThanTheCandidates) {
  Room room;
  room.world.objects["slow"].kernel = testing::kernel<float>(0.3e6, twice<float>);
  const WorkloadResult far = room.judge(twice<float>, 0.1e6).workloads[2];
  EXPECT_LT(far.opponent_calls_per_sample, far.calls_per_sample);
  EXPECT_GE(far.opponent_calls_per_sample * far.opponent_ns,
            0.99 * far.calls_per_sample * far.median_ns);
}

TEST(Timing, LegsBeginTheirLivesInTurn) {
  Room room;
  room.request.measure.pairs = 12;
  room.judge(twice<float>, 4.1e6);
  std::vector<std::string> started;
  for (const std::string& line : room.world.log)
    if (line == "start candidate" || line == "start opponent") started.push_back(line);
  // The opponent is prepared after the candidate's first process; from then on both start processes
  // together.
  const auto seated = std::ranges::find(started, "start opponent");
  ASSERT_NE(seated, started.end());
  int ahead = 0, lives = 0;
  for (auto one = seated + 1; started.end() - one >= 2; one += 2) {
    EXPECT_NE(one[0], one[1]);
    ahead += one[0] == "start candidate";
    ++lives;
  }
  EXPECT_GE(lives, 4);
  EXPECT_LE(std::abs(2 * ahead - lives), 1) << ahead << " of " << lives;
}

TEST(Timing, BetweenTheCallsOfASampleTheOpponentIsCheckedToo) {
  const auto outcome_beside = [](int right_calls) {
    Room room;
    int calls = 0;
    room.world.objects["slow"].kernel =
        testing::kernel<float>(0.2e6, [&](const testing::Arguments<float>& a) {
          twice(a);
          if (a.rows == testing::kRows && ++calls > right_calls) a.y[0] += 1;
        });
    return room.judge(twice<float>, 0.19e6).verdict.outcome;
  };
  EXPECT_EQ(outcome_beside(1 << 20), Outcome::Correct);
  EXPECT_EQ(outcome_beside(8), Outcome::Unmeasurable);
}

TEST(Timing, TriflesAreUnmeasurable) {
  Room room;
  EXPECT_VERDICT(room.judge(twice<float>, 100), Measure, Unmeasurable);
}

}  // namespace
}  // namespace kw::referee
