// Tests of technique worlds: properties of each world, and how well strategies do there.
// SPDX-License-Identifier: Apache-2.0
#include "search/technique_world.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <map>

#include "search/sketch.h"
#include "search/works.h"

namespace kw::search {
namespace {

using testing::HasSubstr;

TechniqueWorld world(std::uint64_t seed) {
  WorldOptions options;
  options.seed = seed;
  return TechniqueWorld(options);
}

TEST(TechniqueWorld, TheOptimumIsTheFastestOfAll) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const TechniqueWorld w = world(seed);
    EXPECT_EQ(w.speedup(0), 1);
    EXPECT_GT(w.best_speedup(), 2) << seed;
    EXPECT_GE(std::popcount(w.best()), 3) << seed;
    for (std::size_t t = 0; t < w.cards().size(); ++t)
      EXPECT_LE(w.speedup(w.best() ^ TechniqueWorld::bit(t)), w.best_speedup());
  }
}

TEST(TechniqueWorld, TheSameSeedIsTheSameWorld) {
  EXPECT_EQ(world(4).best(), world(4).best());
  EXPECT_EQ(world(4).best_speedup(), world(4).best_speedup());
  EXPECT_NE(world(4).best_speedup(), world(5).best_speedup());
}

TEST(TechniqueWorld, WhatATechniqueNeedsMustBeThere) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const TechniqueWorld w = world(seed);
    for (std::size_t t = 0; t < w.cards().size(); ++t)
      if (!w.has_what_it_needs(0, t)) {
        EXPECT_LT(w.speedup(TechniqueWorld::bit(t)), 1) << "alone it costs something";
        ++found;
      }
  }
  EXPECT_GT(found, 5);
}

/// Mean over worlds of log(optimum / best) after `attempts` attempts.
double regret(const StrategyInfo& info, std::size_t attempts, int worlds) {
  double sum = 0;
  for (int seed = 1; seed <= worlds; ++seed) {
    const TechniqueWorld w = world(static_cast<std::uint64_t>(seed));
    StrategyOptions options = options_in(w, static_cast<std::uint64_t>(seed));
    options.writes = options.rounds = static_cast<int>(attempts);
    const auto strategy = info.make(info.is_writing ? std::vector<Idea>() : w.ideas(), options);
    const Play played = play(*strategy, w, {attempts, 1}, static_cast<std::uint64_t>(seed));
    sum += std::log(w.best_speedup() / std::max(1.0, played.best));
  }
  return sum / worlds;
}

TEST(TechniqueWorld, RandomLosesToAllThatHaveSourcesWritten) {
  constexpr int kWorlds = 10;
  const double random = regret(**find_strategy("random"), 100, kWorlds);
  for (const StrategyInfo& info : strategies())
    if (info.is_writing) {
      EXPECT_LT(regret(info, 100, kWorlds), random) << info.name;
    }
}

// Kevin-32B (arXiv 2507.11948) found that serial refinement beats parallel sampling at equal calls.
TEST(TechniqueWorld, SerialRefinementBeatsParallelSampling) {
  EXPECT_LT(regret(**find_strategy("refine"), 60, 20) + 0.1,
            regret(**find_strategy("best-of-n"), 60, 20));
}

TEST(TechniqueWorld, EqualSeedsPlayEqually) {
  const TechniqueWorld w = world(3);
  for (const StrategyInfo& info : strategies()) {
    if (!info.is_writing) continue;
    for (const std::size_t outstanding : {1U, 3U}) {
      std::vector<std::string> asks[2];
      for (auto& list : asks) {
        const auto strategy = info.make({}, options_in(w, 9));
        for (const PlayedAsk& played : play(*strategy, w, {60, outstanding}, 9).asks)
          list.push_back(encode_ask(played.ask));
      }
      EXPECT_EQ(asks[0], asks[1]) << info.name;
    }
  }
}

TEST(TechniqueWorld, WhoeverIsToldMoreFailsLessAndRepeatsLess) {
  const StrategyInfo& refine = **find_strategy("refine");
  std::map<FeedbackLevel, int> failed, repeated;
  std::map<FeedbackLevel, double> best;
  constexpr int kWorlds = 60;
  for (std::uint64_t seed = 1; seed <= kWorlds; ++seed) {
    const TechniqueWorld w = world(seed);
    for (const FeedbackLevel level : {FeedbackLevel::None, FeedbackLevel::Errors,
                                      FeedbackLevel::Findings, FeedbackLevel::Profile}) {
      const auto strategy = refine.make({}, options_in(w, seed));
      const Play played = play(*strategy, w, {40, 1}, seed, level);
      for (const PlayedAsk& p : played.asks) {
        failed[level] += !p.tell.is_correct();
        repeated[level] += p.tell.traits.is_repeated;
      }
      best[level] += std::log(std::max(1.0, played.best)) / kWorlds;
      if (level == FeedbackLevel::Profile) {
        const auto again = refine.make({}, options_in(w, seed));
        EXPECT_EQ(play(*again, w, {40, 1}, seed).best, played.best) << "the default";
      }
    }
  }
  using enum FeedbackLevel;
  EXPECT_LT(failed[Errors], 0.97 * failed[None]);
  EXPECT_LT(repeated[Findings], 0.97 * repeated[Errors]);
  EXPECT_GT(best[Profile], best[None]);
}

// Tests resume: a new strategy that gets the recorded tells makes the same asks.
TEST(TechniqueWorld, ReplayOfTheRecordGivesTheSameAsks) {
  const TechniqueWorld w = world(2);
  for (const StrategyInfo& info : strategies()) {
    if (!info.is_writing) continue;
    const auto original = info.make({}, options_in(w, 1));
    const Play record = play(*original, w, {80, 2});
    const auto resumed = info.make({}, options_in(w, 1));
    std::size_t asked = 0;
    for (std::size_t told = 0; told < record.asks.size(); ++told) {
      while (asked < record.asks.size() && asked - told < 2) {
        const auto ask = resumed->ask();
        if (!ask) break;
        ASSERT_EQ(encode_ask(*ask), encode_ask(record.asks[asked].ask)) << info.name;
        ++asked;
      }
      resumed->tell(record.asks[told].tell);
    }
  }
}

TEST(Sketch, TellsHowMuchTwoSourcesShare) {
  std::string source, other;
  for (int i = 0; i < 100; ++i) {
    source += "for (int i = 0; i < n" + std::to_string(i) + "; ++i) y[i] = a * x[i];\n";
    other += "while (k" + std::to_string(i) + " --> 0) sum += load(p, k) * 3;\n";
  }
  EXPECT_EQ(similarity(sketch_of(source), sketch_of("// remark\n" + source + "\n\n")), 1);
  EXPECT_GT(similarity(sketch_of(source), sketch_of(source + "int one_more_line = 3;\n")), 0.8);
  EXPECT_LT(similarity(sketch_of(source), sketch_of(other)), 0.2);
  EXPECT_EQ(similarity(sketch_of(""), sketch_of("")), 0);
  EXPECT_EQ(sketch_of("/* open"), Sketch{});
  EXPECT_LT(similarity(sketch_of("f(\"//\"); g(1, 2, 3);"), sketch_of("f(\"//\"); h[4] = i;")), 1)
      << "a literal holds no comment";
}

TEST(Works, KeepTheFastestPointOfEachSource) {
  Works works;
  Ask write{1, kUnwritten, 0, Role::Write, {}, 1, "w"};
  Tell tell{1, OutcomeClass::NewBest, Outcome::Correct, 0, {}};
  tell.speedup.value = tell.merit = 2;
  EXPECT_EQ(works.observe(write, tell), std::optional<WorkId>(0));
  Ask tune{2, 10, 1, Role::Tune, {}, 1, "t"};
  tell.ask = 2, tell.speedup.value = tell.merit = 3;
  EXPECT_EQ(works.observe(tune, tell), std::nullopt);
  EXPECT_EQ(works.at(0).point, 2);
  EXPECT_EQ(works.at(0).speedup, 3);
  EXPECT_EQ(works.at(0).first_speedup, 2);
  Ask child{3, kUnwritten, 2, Role::Write, {}, 1, "w"};
  EXPECT_EQ(works.observe(child, {3, OutcomeClass::Failed, Outcome::Crashed, 0, {}}),
            std::optional<WorkId>(1));
  EXPECT_EQ(works.at(1).parent, std::optional<WorkId>(0)) << "made from a point of it";
  EXPECT_EQ(works.at(1).failures, 1);
  EXPECT_EQ(words_of(works.at(1)), "attempt 3 (crashed)");
}

}  // namespace
}  // namespace kw::search
