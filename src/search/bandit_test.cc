// Tests of bandit: its clusters, bounds and masks, and how it credits tries.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "search/clusters.h"
#include "search/dialogue_for_test.h"

namespace kw::search {
namespace {

using testing::HasSubstr;

StrategyOptions with_cards(std::vector<TechniqueCard> cards) {
  StrategyOptions options;
  options.techniques = std::move(cards);
  return options;
}

const std::vector<TechniqueCard> kCards{{"tiling", "make tiles", "memory"},
                                        {"unrolling", "unroll", "compute"},
                                        {"prefetch", "ask early", "memory"}};

TEST(Bandit, TriesEachTechniqueBeforeOneTwice) {
  Dialogue d("bandit", with_cards(kCards));
  EXPECT_EQ(d.ask().errand, Errand::Write);
  d.works(1);
  std::set<std::string> tried;
  for (int i = 0; i < 3; ++i) {
    const Ask ask = d.ask();
    EXPECT_EQ(ask.manner.writer.prompt, "apply");
    EXPECT_FALSE(ask.manner.method.empty());
    EXPECT_THAT(ask.why, HasSubstr("bound"));
    EXPECT_TRUE(tried.insert(ask.manner.technique).second) << ask.why;
    d.works(1);  // the try brings no gain
  }
}

TEST(Bandit, ComesBackToWhatPays) {
  // Only one of forty techniques pays: the bandit asks for it again as soon as a kernel lacks it.
  Dialogue d("bandit", with_cards(kCards));
  d.ask(), d.works(1);
  std::map<std::string, int> asked;
  double best = 1;
  for (int i = 0; i < 30; ++i) {
    const Ask ask = d.ask();
    ++asked[ask.manner.technique];
    if (ask.manner.technique == "prefetch")
      d.works(best *= 1.3);
    else
      d.works(1);
  }
  EXPECT_GT(asked["prefetch"], asked["tiling"]);
  EXPECT_GT(asked["prefetch"], asked["unrolling"]);
}

TEST(Bandit, MasksTechniquesWhoseResourceIsSaturated) {
  Dialogue d("bandit", with_cards(kCards));
  d.ask();
  Traits saturated;
  saturated.used = {{"memory", 0.9}, {"compute", 0.2}};
  d.works(1, saturated);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(d.ask().manner.technique, "unrolling") << "the only one that is not for memory";
    d.works(0.9, saturated);
  }
}

TEST(Bandit, AFailureIsMendedTwiceBeforeItCounts) {
  Dialogue d("bandit", with_cards(kCards));
  d.ask(), d.works(1);
  const Ask first = d.ask();
  d.fails();
  for (int i = 0; i < 2; ++i) {
    const Ask mend = d.ask();
    EXPECT_EQ(mend.errand, Errand::Repair);
    EXPECT_EQ(mend.manner.technique, first.manner.technique);
    d.fails();
  }
  const Ask next = d.ask();
  EXPECT_EQ(next.errand, Errand::Improve);
  EXPECT_NE(next.manner.technique, first.manner.technique);
}

TEST(Bandit, GoesOnWhereNothingIsLeftToTry) {
  Dialogue d("bandit", with_cards({kCards.front()}));
  d.ask(), d.works(1, {}, {"tiling"});
  EXPECT_THAT(d.ask().why, HasSubstr("no technique is left"));
}

TEST(Clusters, FindGroupsThatAreApart) {
  std::vector<Features> points;
  for (int i = 0; i < 30; ++i) {
    const double centre = i % 3;
    points.push_back({100 * centre + 0.1 * i, 5 - centre + 0.001 * i});
  }
  Rng rng(Seed::from_number(1));
  const auto of = cluster(points, 3, rng);
  for (std::size_t i = 3; i < points.size(); ++i) EXPECT_EQ(of[i], of[i - 3]) << i;
  EXPECT_EQ((std::set<std::size_t>(of.begin(), of.end())).size(), 3u);
  Rng again(Seed::from_number(1));
  EXPECT_EQ(cluster(points, 3, again), of);
}

TEST(Clusters, OfEqualPointsAreOne) {
  Rng rng(Seed::from_number(1));
  const auto of = cluster({{1, 2}, {1, 2}, {1, 2}}, 3, rng);
  EXPECT_EQ(of, (std::vector<std::size_t>{0, 0, 0}));
  EXPECT_TRUE(cluster({}, 3, rng).empty());
}

}  // namespace
}  // namespace kw::search
