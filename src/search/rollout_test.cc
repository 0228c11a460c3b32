// Tests of graph-search as published: what selection, rollouts and rewards compute, and where it
// ends.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>

#include "search/dialogue_for_test.h"
#include "search/rollout_value.h"

namespace kw::search {
namespace {

using testing::AnyOf;
using testing::ElementsAre;

StrategyOptions published(const std::vector<std::pair<const char*, const char*>>& edges,
                          int rollouts, std::uint64_t seed = 1) {
  auto graph = std::make_shared<TechniqueGraph>();
  for (const auto& [from, to] : edges) graph->add(from, to);
  StrategyOptions options;
  options.graph = std::move(graph);
  options.preset = "paper";
  options.rounds = rollouts;
  options.seed = Seed::from_number(seed);
  return options;
}

TEST(RolloutValue, IsAMean) {
  RolloutValue v;
  for (const double value : {3.0, -1.0, 4.0}) v.add(value);
  EXPECT_DOUBLE_EQ(v.q, 2);
  EXPECT_EQ(v.n, 3);
}

TEST(RolloutValue, BoundsAndScoresAreTheFormulas) {
  EXPECT_DOUBLE_EQ(upper_bound({0.5, 4}, {9, 16}), 0.5 + std::sqrt(2 * std::log(16) / 4));
  EXPECT_DOUBLE_EQ(upper_bound({0.5, 1}, {0, 0}), 0.5) << "a parent that was pinned";
  EXPECT_GT(upper_bound({0, 0}, {1, 1}), upper_bound({1e9, 1}, {1, 99}));
  EXPECT_DOUBLE_EQ(rollout_score({1.2, 3}), 0.9) << "three visits cost three tenths";
}

/// Speedup of the i-th try of a technique; 0 if the try fails.
double star_outcome(const std::string& technique, int i) {
  if (technique == "a") return i % 2 == 0 ? 0.8 : 0;
  if (technique == "b") return i % 3 == 0 ? 1.2 : 1;
  return 0;
}

TEST(GraphRollouts, SelectTheHighestUpperBoundByTheRewardOfThePaper) {
  Dialogue d("graph-search", published({{"start", "a"}, {"start", "b"}, {"start", "c"}}, 40));
  struct Seen {
    double sum = 0;
    int n = 0;
  };
  std::map<std::string, Seen> seen{{"a", {}}, {"b", {}}, {"c", {}}};
  for (int rollout = 0; rollout < 40; ++rollout) {
    std::set<std::string> best;
    double highest = -1;
    for (const auto& [name, s] : seen) {
      const double bound = s.n == 0 ? 1e9 : s.sum / s.n + std::sqrt(2 * std::log(rollout) / s.n);
      if (bound > highest + 1e-9) highest = bound, best.clear();
      if (bound >= highest - 1e-9) best.insert(name);
    }
    const std::string technique = d.ask().manner.technique;
    EXPECT_TRUE(best.contains(technique)) << "rollout " << rollout << ": " << technique;
    Seen& s = seen[technique];
    const double speedup = star_outcome(technique, s.n++);
    s.sum += speedup == 0 ? -1 : speedup < 1 ? speedup - 1 : speedup;
    speedup == 0 ? d.fails() : d.works(speedup);
  }
  EXPECT_TRUE(d.strategy().finished());
  EXPECT_GT(seen["c"].n, 1) << "its failures are -1, and the bound comes back to it";
}

/// The techniques of the first `asks` asks if each technique always has the same outcome; an
/// outcome of 0 is a failure.
std::vector<std::string> path_where(const std::map<std::string, double>& outcomes, int asks,
                                    std::uint64_t seed) {
  Dialogue d("graph-search", published({{"start", "a"}, {"start", "b"}, {"a", "c"}}, 1000, seed));
  std::vector<std::string> path;
  while (asks-- > 0) {
    path.push_back(d.ask().manner.technique);
    const double speedup = outcomes.at(path.back());
    speedup == 0 ? d.fails() : d.works(speedup);
  }
  return path;
}

TEST(GraphRollouts, AreWorthTheMostThatWasSeenAlongThem) {
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_THAT(path_where({{"a", 3}, {"b", 2}, {"c", 0}}, 4, seed),
                AnyOf(ElementsAre("a", "c", "b", "c"), ElementsAre("b", "a", "c", "c")))
        << "a is worth its 3, not the -1 at the end nor a mean: b's 2 is less";
}

TEST(GraphRollouts, ASlowKernelOnTheWayIsWorthWhatItLost) {
  // Q(a) = -0.2 and Q(b) = -1: after n visits of a, a's bound is above b's for n = 1 to 3 and below
  // b's for n = 4. If the visits of a earned 0.8, a would be taken for ever.
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_THAT(path_where({{"a", 0.8}, {"b", 0}, {"c", 0}}, 7, seed),
                AnyOf(ElementsAre("a", "c", "b", "c", "c", "c", "b"),
                      ElementsAre("b", "a", "c", "c", "c", "c", "b")));
}

TEST(GraphRollouts, OneStepInFiveIsByLot) {
  int others = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Dialogue d("graph-search", published({{"start", "a"}, {"a", "c"}, {"a", "d"}}, 10, seed));
    d.ask(), d.works(2);
    others += d.ask().manner.technique == "d";  // c equals d but comes first
  }
  EXPECT_NEAR(others, 100, 40) << "half of the lots, four standard deviations";
}

TEST(GraphRollouts, EndAtTwoHundredSteps) {
  Dialogue d("graph-search", published({{"start", "a"}, {"a", "b"}, {"b", "a"}}, 1000));
  int steps = 0;
  while (!d.strategy().finished()) ++steps, d.ask(), d.works(2);
  EXPECT_EQ(steps, 200);
}

}  // namespace
}  // namespace kw::search
