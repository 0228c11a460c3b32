// Tests of strategies and tuners on synthetic landscapes: they find the best point, are
// deterministic, and end.
// SPDX-License-Identifier: Apache-2.0
#include "search/strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <utility>

#include "base/error_for_test.h"
#include "search/landscape.h"
#include "search/make_for_test.h"
#include "search/reward.h"

namespace kw::search {
namespace {

StrategyOptions seeded(std::uint64_t seed) {
  StrategyOptions options;
  options.seed = Seed::from_number(seed);
  return options;
}

using Factory = std::function<std::unique_ptr<Strategy>(const Landscape&)>;

// Makes every strategy, and every tuner on the last idea of the landscape; each with its name.
std::vector<std::pair<std::string, Factory>> all_methods() {
  std::vector<std::pair<std::string, Factory>> methods;
  for (const StrategyInfo& info : strategies())
    if (!info.is_writing)
      methods.emplace_back(info.name,
                           [&info](const Landscape& l) { return info.make(l.ideas(), seeded(5)); });
  for (const TunerInfo& info : tuners())
    methods.emplace_back(info.name, [&info](const Landscape& l) {
      const int idea = static_cast<int>(l.ideas().size()) - 1;
      const KnobSpace& space = l.ideas().back().space;
      TuningJob job{idea, 0, &space, space.first(), 0, Seed::from_number(5)};
      job.start_merit = l.truth(idea, job.start).speedup;
      return info.make(job, seeded(5));
    });
  return methods;
}

TEST(Strategies, AreListedWithOneLineEach) {
  std::set<std::string_view> names;
  for (const auto& info : strategies()) {
    EXPECT_TRUE(names.insert(info.name).second);
    EXPECT_FALSE(info.what.empty());
    EXPECT_EQ(info.what.find('\n'), std::string_view::npos);
  }
  EXPECT_TRUE(names.contains("greedy"));
  EXPECT_TRUE(names.contains("random"));
}

TEST(Strategies, UnknownNameSuggestsTheNearest) {
  const auto made = make_strategy("gredy", {}, {});
  EXPECT_THAT(made, IsErrorAbout(ErrorCode::NotFound, "gredy -> greedy"));
  const auto tuner = find_tuner("halvin");
  EXPECT_THAT(tuner, IsErrorAbout(ErrorCode::NotFound, "halvin -> halving"));
}

TEST(Strategies, WithoutIdeasFinishAtOnce) {
  for (const auto& info : strategies()) {
    if (info.is_writing) continue;
    const auto strategy = info.make({}, seeded(1));
    EXPECT_EQ(strategy->ask(), std::nullopt) << info.name;
    EXPECT_TRUE(strategy->finished()) << info.name;
  }
}

TEST(Strategies, AskOnlyValidPointsAndEndByThemselves) {
  for (const std::size_t outstanding : {1U, 3U, 8U}) {
    LandscapeOptions options;
    options.seed = outstanding;
    const Landscape landscape(options);
    for (const auto& [name, make] : all_methods()) {
      const auto strategy = make(landscape);
      const Play result = play(*strategy, landscape, {5000, outstanding});
      EXPECT_TRUE(strategy->finished()) << name;
      EXPECT_LT(result.asks.size(), 5000U) << name;
      EXPECT_FALSE(strategy->describe().empty()) << name;
      int id = 0;
      std::set<std::string> asked;
      for (const auto& [ask, tell] : result.asks) {
        EXPECT_EQ(ask.id, ++id) << name;
        EXPECT_LT(ask.parent, ask.id) << name;
        EXPECT_FALSE(ask.why.empty()) << name;
        EXPECT_GT(ask.fidelity, 0) << name;
        EXPECT_LE(ask.fidelity, 1) << name;
        const Idea& idea = landscape.ideas()[static_cast<std::size_t>(ask.idea)];
        EXPECT_EQ(ask.knobs.size(), idea.space.knobs().size()) << name;
        EXPECT_TRUE(idea.space.is_valid(ask.knobs)) << name << " " << to_text(ask.knobs);
        const std::string what = std::to_string(ask.idea) + to_text(ask.knobs);
        const bool is_new = asked.insert(what).second;
        if (name == "random" || name == "exhaustive" || name == "climb") {
          EXPECT_TRUE(is_new) << name << " repeats " << what;
        }
      }
    }
  }
}

// Tests resume: wherever the process died, a new strategy that gets the recorded asks and tells
// makes the same next ask, byte for byte.
TEST(Strategies, ReplayOfTheRecordGivesTheSameNextAsk) {
  const Landscape landscape(LandscapeOptions{});
  for (const std::size_t outstanding : {1U, 4U}) {
    for (const auto& [name, make] : all_methods()) {
      const auto original = make(landscape);
      const Play record = play(*original, landscape, {120, outstanding});
      ASSERT_FALSE(record.asks.empty()) << name;
      for (std::size_t killed_at = 0; killed_at < record.asks.size(); killed_at += 7) {
        const auto resumed = make(landscape);
        std::size_t asked = 0;
        for (std::size_t told = 0; told <= killed_at; ++told) {
          while (asked < record.asks.size() && asked - told < outstanding) {
            const auto ask = resumed->ask();
            if (!ask) break;
            ASSERT_EQ(encode_ask(*ask), encode_ask(record.asks[asked].ask)) << name;
            ++asked;
          }
          if (told < killed_at) resumed->tell(record.asks[told].tell);
        }
        EXPECT_GT(asked, killed_at) << name;
      }
    }
  }
}

TEST(Strategies, OtherSeedsSearchElsewhere) {
  const Landscape landscape(LandscapeOptions{});
  const auto first_asks = [&](std::uint64_t seed) {
    const auto strategy = *make_strategy("random", landscape.ideas(), seeded(seed));
    return play(*strategy, landscape, {20, 1});
  };
  EXPECT_EQ(first_asks(1).asks[5].ask, first_asks(1).asks[5].ask);
  int same = 0;
  const Play one = first_asks(1);
  const Play two = first_asks(2);
  for (std::size_t i = 0; i < 20; ++i) same += one.asks[i].ask == two.asks[i].ask;
  EXPECT_LT(same, 5);
}

TEST(Greedy, GoesThroughIdeasInOrderThenTunesTheFastest) {
  const Landscape landscape(LandscapeOptions{});
  const auto strategy = *make_strategy("greedy", landscape.ideas(), seeded(1));
  const Play result = play(*strategy, landscape, {40, 1});
  double best = 0;
  int fastest = 0;
  for (int i = 0; i < 4; ++i) {
    const auto& [ask, tell] = result.asks[static_cast<std::size_t>(i)];
    EXPECT_EQ(ask.idea, i);
    EXPECT_EQ(ask.role, Role::Idea);
    if (tell.speedup.value > best) best = tell.speedup.value, fastest = i;
  }
  EXPECT_EQ(result.asks[4].ask.role, Role::Tune);
  EXPECT_EQ(result.asks[4].ask.idea, fastest);
  EXPECT_EQ(result.asks[4].ask.parent, fastest + 1);
}

TEST(Greedy, DoesNotTuneWhatFailedOrHasNoHope) {
  std::vector<Idea> ideas;
  const KnobSpace space({{"A", {1, 2, 3}}});
  for (const char* name : {"wrong", "slow", "fast"}) ideas.push_back({name, space});
  const auto strategy = *make_strategy("greedy", ideas, seeded(1));
  std::set<int> tuned;
  while (const auto ask = strategy->ask()) {
    if (ask->role == Role::Tune) tuned.insert(ask->idea);
    Tell tell;
    tell.ask = ask->id;
    tell.outcome = ask->idea == 0 ? Outcome::WrongResult : Outcome::Correct;
    tell.speedup.value = tell.merit = ask->idea == 0 ? 0 : ask->idea == 1 ? 1 : 4;
    strategy->tell(tell);
  }
  EXPECT_EQ(tuned, std::set<int>{2});
  EXPECT_EQ(strategy->describe(), "all 3 ideas tried, 1 tuned");
}

// The ideas that are tuned first, of two: the first is faster, the second is nearer to its
// roofline.
std::vector<int> tuned_first(std::string_view policy) {
  std::vector<Idea> ideas;
  const KnobSpace space({{"A", {1, 2, 3}}});
  for (const char* name : {"fast", "near"}) ideas.push_back({name, space});
  const auto strategy = *make_strategy("greedy", ideas, seeded(1));
  std::vector<int> tuned;
  while (const auto ask = strategy->ask()) {
    if (ask->role == Role::Tune) tuned.push_back(ask->idea);
    Tell tell;
    tell.ask = ask->id;
    tell.outcome = Outcome::Correct;
    tell.speedup.value = ask->idea == 0 ? 4 : 3;
    tell.roofline_fraction = ask->idea == 0 ? 0.2 : 0.25;
    grant(**find_reward_policy(policy), tell);
    strategy->tell(tell);
  }
  return tuned;
}

TEST(Greedy, TunesWhatTheRunsRewardPrefers) {
  EXPECT_EQ(tuned_first("speedup"), (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(tuned_first("roofline"), (std::vector<int>{1, 1, 0, 0}));
}

TEST(Greedy, TunesWithTheTunerItWasGiven) {
  const Landscape landscape(LandscapeOptions{});
  for (const char* name : {"exhaustive", "halving", "climb"}) {
    const TunerInfo& info = **find_tuner(name);
    StrategyOptions options = seeded(1);
    options.tuner = &info;
    const auto strategy = *make_strategy("greedy", landscape.ideas(), options);
    const Play result = play(*strategy, landscape, {40, 1});
    const Ask& first = result.asks[4].ask;
    ASSERT_EQ(first.role, Role::Tune) << info.name;
    const KnobSpace& space = landscape.ideas()[static_cast<std::size_t>(first.idea)].space;
    const TuningJob job{first.idea, first.idea + 1,
                        &space,     space.first(),
                        1,          options.seed.child(static_cast<std::size_t>(first.idea))};
    const auto alone = info.make(job, options)->ask();
    ASSERT_TRUE(alone) << info.name;
    EXPECT_EQ(first.knobs, alone->knobs) << info.name;
    EXPECT_EQ(first.fidelity, alone->fidelity) << info.name;
  }
}

TEST(Greedy, ReachesTheTopOfManyLandscapes) {
  constexpr int kLandscapes = 40;
  int near = 0;
  int beats_random = 0;
  double worst = 1;
  for (std::uint64_t seed = 1; seed <= kLandscapes; ++seed) {
    LandscapeOptions options;
    options.seed = seed;
    const Landscape landscape(options);
    const auto greedy = *make_strategy("greedy", landscape.ideas(), seeded(seed));
    const auto random = *make_strategy("random", landscape.ideas(), seeded(seed));
    const double share = play(*greedy, landscape, {120, 1}).best / landscape.best();
    near += share >= 0.98;
    worst = std::min(worst, share);
    beats_random += share >= play(*random, landscape, {120, 1}).best / landscape.best();
  }
  std::cout << "  greedy within 2 % of the best in 120 evaluations: " << near << " of "
            << kLandscapes << ", worst " << worst
            << "; at least as good as random: " << beats_random << '\n';
  EXPECT_GE(near, 38);
  EXPECT_GE(worst, 0.95);
  EXPECT_GE(beats_random, 36);
}

TEST(Halving, SpendsLessThanFullMeasurementOfAllItsPoints) {
  const Landscape landscape(LandscapeOptions{});
  const KnobSpace& space = landscape.ideas().back().space;
  const auto tuner =
      (*find_tuner("halving"))->make({3, 0, &space, space.first(), 1, {}}, seeded(1));
  const Play result = play(*tuner, landscape, {1000, 1});
  EXPECT_LE(result.asks.size(), 27U + 9 + 3);
  EXPECT_NEAR(result.spent, 27 / 9. + 9 / 3. + 3, 1e-9);
  EXPECT_EQ(result.asks.back().ask.fidelity, 1);
}

TEST(Halving, SurvivesASpaceWhereEverythingFails) {
  const KnobSpace space({{"A", {1, 2, 3, 4, 5, 6}}, {"B", {1, 2, 3, 4, 5, 6}}});
  const auto tuner = (*find_tuner("auto"))->make({0, 0, &space, space.first(), 1, {}}, seeded(1));
  int asks = 0;
  while (const auto ask = tuner->ask()) {
    tuner->tell({ask->id, OutcomeClass::Failed, Outcome::Crashed, 0, {}});
    ASSERT_LT(++asks, 100);
  }
  EXPECT_TRUE(tuner->finished());
}

// The best of seven values is the last, and a value before it fails.
TEST(Climb, IsNotWalledInByAFailure) {
  const KnobSpace space({{"A", {1, 2, 3, 4, 5, 6, 7}}});
  const auto tuner = (*find_tuner("climb"))->make({0, 0, &space, {{"A", 1}}, 1, {}}, seeded(1));
  std::vector<std::int64_t> asked;
  while (const auto ask = tuner->ask()) {
    asked.push_back(ask->knobs.at("A"));
    Tell tell;
    tell.ask = ask->id;
    tell.outcome = asked.back() == 3 ? Outcome::CompileFailed : Outcome::Correct;
    tell.speedup.value = tell.merit = asked.back() == 3 ? 0 : static_cast<double>(asked.back());
    tuner->tell(tell);
  }
  EXPECT_EQ(asked, (std::vector<std::int64_t>{2, 3, 4, 5, 6, 7}));
}

TEST(Asks, AreOneLineOfJsonThatTellsThemApart) {
  const Ask ask{7, 2, 3, Role::Tune, {{"BM", 64}, {"S", -1}}, 0.125, "why \"not\""};
  EXPECT_EQ(
      encode_ask(ask),
      R"({"fidelity":0.125,"id":7,"idea":2,"knobs":{"BM":64,"S":-1},"parent":3,"role":"tune",)"
      R"("why":"why \"not\""})");
  Ask other = ask;
  other.knobs["S"] = 1;
  EXPECT_NE(encode_ask(other), encode_ask(ask));
}

}  // namespace
}  // namespace kw::search
