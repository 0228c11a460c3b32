// Tests of the choice among models: equal ones, expensive ones that are worth their price, and ones
// that are unavailable.
// SPDX-License-Identifier: Apache-2.0
#include "search/ensemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"

namespace kw::search {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A model as a test simulates it: how often it is right, what a right reply is worth, and what a
/// reply costs.
struct Model {
  double right = 0;
  double reward = 0;
  double cost = 0;
};

/// How often each model was asked in `rounds` choices.
std::vector<int> asked(const std::vector<Model>& models, int rounds, std::uint64_t seed) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < models.size(); ++i) names.push_back("m" + std::to_string(i));
  Ensemble ensemble(names, Ensemble::Unit::Dollars);
  Rng rng(Seed::from_number(seed));
  std::vector<int> counts(models.size());
  for (int round = 0; round < rounds; ++round) {
    const std::size_t chosen = ensemble.choose().model;
    ++counts[chosen];
    const Model& model = models[chosen];
    ensemble.tell("", rng.uniform() < model.right ? model.reward : 0, model.cost);
  }
  return counts;
}

TEST(Ensemble, AtEqualQualityTheCheaperWrites) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto counts = asked({{0.6, 0.5, 0.10}, {0.6, 0.5, 0.01}}, 60, seed);
    EXPECT_GT(counts[1], 3 * counts[0]) << "seed " << seed;
  }
}

TEST(Ensemble, ADearOneWritesWhereItsGainIsWorthIt) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    // A model that costs four times as much makes an attempt, judging included, twice as expensive.
    const auto worth_it = asked({{0.8, 0.9, 0.04}, {0.2, 0.4, 0.01}}, 60, seed);
    EXPECT_GT(worth_it[0], 2 * worth_it[1]) << "seed " << seed;
    const auto not_worth_it = asked({{0.8, 0.5, 0.04}, {0.8, 0.4, 0.01}}, 60, seed);
    EXPECT_GT(not_worth_it[1], 2 * not_worth_it[0]) << "seed " << seed;
  }
}

TEST(Ensemble, AUselessOneIsNotAskedForEverBecauseItIsCheap) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto counts = asked({{0.7, 0.6, 1.0}, {0, 0, 0.01}}, 60, seed);
    EXPECT_GT(counts[0], counts[1]) << "seed " << seed;
  }
}

TEST(Ensemble, WhereNothingCostsRewardsAloneCount) {
  const auto counts = asked({{0.2, 0.5, 0}, {0.9, 0.5, 0}}, 60, 1);
  EXPECT_GT(counts[1], 2 * counts[0]);
}

TEST(Ensemble, OneThatCannotBeAskedIsLeftForLongerAndLonger) {
  Ensemble ensemble({"a", "b"}, Ensemble::Unit::Tokens);
  std::string order;
  for (int round = 0; round < 30; ++round) {
    const auto choice = ensemble.choose();
    order += ensemble.models()[choice.model];
    // Model a is the better one, and unavailable until round 17.
    const bool is_out = choice.model == 0 && round < 17;
    ensemble.tell(is_out ? "b" : "", choice.model == 0 && !is_out ? 0.9 : 0.3, 1000);
  }
  EXPECT_EQ(order.substr(0, 12), "abbabbbbabbb") << "after 2 and then 4 others it is tried again";
  EXPECT_THAT(order.substr(24), Not(HasSubstr("b"))) << order;
}

TEST(Ensemble, ARequestThatWasTurnedDownSaysNothingOfWhoWrites) {
  Ensemble ensemble({"a", "b"}, Ensemble::Unit::Tokens);
  std::string order;
  for (int round = 0; round < 6; ++round) {
    const auto choice = ensemble.choose();
    order += ensemble.models()[choice.model];
    if (round == 0)
      ensemble.tell_unanswered();
    else
      ensemble.tell("", 0.5, 1000);
    EXPECT_EQ(choice.why.find("a: not tried yet, rests") != std::string::npos,
              round == 1 || round == 2)
        << choice.why;
  }
  EXPECT_EQ(order.substr(0, 4), "abba");
}

TEST(Ensemble, ItsRestIsExplained) {
  Ensemble ensemble({"a", "b"}, Ensemble::Unit::Tokens);
  EXPECT_EQ(ensemble.choose().why, "by a (a: not tried yet; b: not tried yet)");
  ensemble.tell("b", 0.3, 1200);
  const auto second = ensemble.choose();
  EXPECT_EQ(second.model, 1U);
  EXPECT_THAT(second.why, HasSubstr("by b (a: not tried yet, rests: it could not be asked; b: "
                                    "reward 0.30 in 1 for 1200 tokens each"));
}

TEST(Ensemble, WhatIsOutstandingCountsAsChosen) {
  Ensemble ensemble({"a", "b", "c"}, Ensemble::Unit::Dollars);
  for (const std::size_t expected : {0U, 1U, 2U}) EXPECT_EQ(ensemble.choose().model, expected);
  ensemble.tell("", 0.5, 0.01);
  ensemble.tell("", 0.5, 0.01);
  ensemble.tell("", 0.5, 0.01);
  std::map<std::size_t, int> counts;
  for (int i = 0; i < 6; ++i) ++counts[ensemble.choose().model];
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(counts[i], 2) << "equal ones share";
}

TEST(Ensemble, EqualTellsGiveEqualChoicesAndWords) {
  const auto play = [] {
    Ensemble ensemble({"a", "b"}, Ensemble::Unit::Dollars);
    Rng rng(Seed::from_number(3));
    std::string all;
    for (int i = 0; i < 40; ++i) {
      all += ensemble.choose().why + "\n";
      ensemble.tell("", rng.uniform(), 0.01 + 0.01 * rng.uniform());
    }
    return all;
  };
  EXPECT_EQ(play(), play());
}

TEST(Ensemble, RewardsAreForWhatWorksAndForDoublingIt) {
  EXPECT_EQ(writing_reward(false, 5, 1), 0);
  EXPECT_DOUBLE_EQ(writing_reward(true, 0.9, 1), 0.3);
  EXPECT_DOUBLE_EQ(writing_reward(true, 3, 1.5), 1);
  EXPECT_DOUBLE_EQ(writing_reward(true, 30, 1.5), 1);
  EXPECT_NEAR(writing_reward(true, 1.5, 1), 0.3 + 0.7 * 0.585, 1e-3);
}

}  // namespace
}  // namespace kw::search
