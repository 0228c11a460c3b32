// Tests of stop rules, which say why they stop, and of the parsers of goals and durations.
// SPDX-License-Identifier: Apache-2.0
#include "search/budget.h"

#include <gmock/gmock.h>

#include "base/error_for_test.h"
#include "search/reward.h"

namespace kw::search {
namespace {

TEST(StopRules, AttemptsRunOut) {
  Statistics s;
  s.attempts = 19;
  EXPECT_EQ(attempt_limit(20)(s), std::nullopt);
  s.attempts = 20;
  EXPECT_EQ(attempt_limit(20)(s), "attempts: 20 of 20 made");
}

TEST(StopRules, KeepAShareForTheConfirmation) {
  Statistics s;
  s.spent_ns = 84e9;
  EXPECT_EQ(time_limit(100e9)(s), std::nullopt);
  s.spent_ns = 85e9;
  EXPECT_EQ(time_limit(100e9)(s),
            "time: 85 s of 100 s spent, the rest is for confirming the winner");
  EXPECT_EQ(time_limit(100e9, 0)(s), std::nullopt);
}

TEST(StopRules, GoalNeedsAllThatIsSet) {
  Goals goals;
  goals.speedup = 8;
  goals.roof = 0.9;
  Statistics s;
  s.best_speedup = 9;
  s.best_roof = 0.95;
  EXPECT_EQ(goal_reached(goals)(s), std::nullopt) << "nothing correct yet";
  s.has_best = true;
  EXPECT_EQ(goal_reached(goals)(s), "goal: reached 8x, 0.9 of the roofline");
  s.best_roof = 0.8;
  EXPECT_EQ(goal_reached(goals)(s), std::nullopt);
  EXPECT_EQ(goal_reached({})(s), std::nullopt) << "no goal is never reached";
  goals = {};
  goals.time_ns = 2.5e6;
  s.best_time_ns = 0;
  EXPECT_EQ(goal_reached(goals)(s), std::nullopt) << "nothing measured is not fast";
  s.best_time_ns = 2.4e6;
  EXPECT_NE(goal_reached(goals)(s), std::nullopt);
}

TEST(StopRules, PatienceCountsFromTheBest) {
  Statistics s;
  s.attempts = 90;
  s.attempts_since_best = 50;
  EXPECT_EQ(patience(50)(s), "patience: no new best in 50 attempts");
  EXPECT_EQ(patience(51)(s), std::nullopt);
}

TEST(StopRules, StagnationCountsWhatBroughtNothingNew) {
  Statistics s;
  s.attempts = 1000;
  s.fruitless = kFruitlessAttempts - 1;
  EXPECT_EQ(stagnation()(s), std::nullopt);
  s.fruitless = kFruitlessAttempts;
  EXPECT_EQ(stagnation()(s),
            "stagnation: 50 attempts to write in a row brought nothing new to judge");
}

TEST(StopRules, TheFirstOfManySpeaks) {
  const StopRule rule = first_of({interrupted(), strategy_finished(), attempt_limit(1)});
  Statistics s;
  EXPECT_EQ(rule(s), std::nullopt);
  s.attempts = 1;
  EXPECT_EQ(rule(s), "attempts: 1 of 1 made");
  s.strategy_finished = "all 3 ideas tried";
  EXPECT_EQ(rule(s), "strategy: all 3 ideas tried");
  s.is_interrupted = true;
  EXPECT_EQ(rule(s), "interrupt");
}

TEST(Parsers, Goals) {
  EXPECT_EQ(parse_goal("2.5ms")->time_ns, 2.5e6);
  EXPECT_EQ(parse_goal("8x")->speedup, 8.0);
  EXPECT_EQ(parse_goal("0.9roof")->roof, 0.9);
  const auto both = parse_goal("8x", *parse_goal("1s"));
  EXPECT_EQ(both->speedup, 8.0);
  EXPECT_EQ(both->time_ns, 1e9);
  for (const char* bad :
       {"", "x", "8", "8y", "-1x", "0x", "1.5roof", "1e3x", "nanx", "infx", ".x", "1.2.3x", "8 x",
        "8xx", "0ms", "99999999999999999999999999999999999999999"})
    EXPECT_FALSE(parse_goal(bad).has_value()) << bad;
}

TEST(Parsers, Durations) {
  EXPECT_EQ(*parse_duration("120s"), 120'000'000'000);
  EXPECT_EQ(*parse_duration("5m"), 300'000'000'000);
  EXPECT_EQ(*parse_duration("1.5h"), 5'400'000'000'000);
  EXPECT_EQ(*parse_duration(" 250ms "), 250'000'000);
  EXPECT_EQ(*parse_duration("80us"), 80'000);
  EXPECT_EQ(*parse_duration("10ns"), 10);
  for (const char* bad : {"", "120", "5 m", "-5m", "m", "0s", "1e9s", "999999999999h", "5mm"})
    EXPECT_FALSE(parse_duration(bad).has_value()) << bad;
  for (const char* none : {"0s", "0.0h", "0.1ns"})
    EXPECT_THAT(parse_duration(none), IsErrorAbout(ErrorCode::OutOfRange, "below 1ns")) << none;
  const std::string digits(400, '9');
  for (const std::string& long_time : {std::string("99999999h"), digits + "s", digits + "ns"})
    EXPECT_THAT(parse_duration(long_time), IsErrorAbout(ErrorCode::OutOfRange, "above 8760h"));
  for (const char* malformed : {"1e9h", "120", "-5m", "h"})
    EXPECT_THAT(parse_duration(malformed), IsErrorAbout(ErrorCode::BadInput, malformed));
}

Tell measured(double speedup) {
  Tell tell;
  tell.outcome_class = OutcomeClass::NoGain;
  tell.outcome = Outcome::Correct;
  tell.stage = Stage::Measure;
  tell.speedup.value = tell.merit = speedup;
  tell.time_ns = 1e6 / speedup;  // the baseline takes a millisecond
  tell.roofline_fraction = speedup / 10;
  return tell;
}

Tell failed(Stage stage) {
  Tell tell;
  tell.outcome = Outcome::WrongResult;
  tell.stage = stage;
  return tell;
}

double reward(std::string_view policy, const Tell& tell) {
  return (*find_reward_policy(policy))->compute(tell);
}

TEST(Rewards, RankMoreSpeedHigherAndFailuresLast) {
  for (const RewardPolicy& policy : reward_policies()) {
    EXPECT_LT(policy.compute(measured(1)), policy.compute(measured(2))) << policy.name;
    EXPECT_LT(policy.compute(Tell{}), policy.compute(measured(0.5))) << policy.name;
    Tell cheated = measured(100);
    cheated.outcome = Outcome::Cheated;
    EXPECT_EQ(policy.compute(cheated), policy.compute(failed(Stage::Measure))) << policy.name;
  }
  EXPECT_FALSE(find_reward_policy("sped").has_value());
}

double merit(std::string_view policy, Tell tell) {
  grant(**find_reward_policy(policy), tell);
  EXPECT_EQ(tell.reward, reward(policy, tell));
  return tell.merit;
}

TEST(Rewards, MeritIsTheRewardWhereRatiosCompare) {
  for (const RewardPolicy& policy : reward_policies()) {
    EXPECT_LT(0, merit(policy.name, measured(0.01))) << policy.name;
    EXPECT_LT(merit(policy.name, measured(0.5)), merit(policy.name, measured(2))) << policy.name;
    EXPECT_EQ(merit(policy.name, failed(Stage::Check)), 0) << policy.name;
  }
  for (const double speedup : {0.75, 1.0, 3.0})
    for (const char* policy : {"speedup", "log_speedup", "regrapht"})
      EXPECT_DOUBLE_EQ(merit(policy, measured(speedup)), speedup) << policy;
  EXPECT_DOUBLE_EQ(merit("roofline", measured(2)), 0.2);
  Tell unknown = measured(2);
  unknown.roofline_fraction = 0;
  EXPECT_GT(merit("roofline", unknown), 0) << "it did not fail";
}

TEST(Rewards, FollowTheFormulasOfTheirSources) {
  EXPECT_EQ(reward("speedup", measured(3)), 3);
  EXPECT_EQ(reward("speedup", failed(Stage::Check)), 0);
  EXPECT_EQ(reward("regrapht", measured(0.75)), -0.25);
  EXPECT_EQ(reward("regrapht", measured(1)), 1);
  EXPECT_EQ(reward("regrapht", failed(Stage::Compile)), -1);
  EXPECT_DOUBLE_EQ(reward("triton_gym", measured(2)), 10 / 0.5);
  EXPECT_EQ(reward("triton_gym", failed(Stage::Compile)), -10);
  EXPECT_EQ(reward("triton_gym", failed(Stage::Check)), -5);
  EXPECT_DOUBLE_EQ(reward("kevin", measured(2)), 2.3);
  EXPECT_DOUBLE_EQ(reward("roofline", measured(2)), 0.2);
  EXPECT_DOUBLE_EQ(reward("sol", measured(10)), 1) << "at the roofline";
  EXPECT_DOUBLE_EQ(reward("sol", measured(1)), 0.5) << "at the baseline";
}

}  // namespace
}  // namespace kw::search
