// Tests of a person's orders during a search, and how each strategy obeys them.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "search/landscape.h"
#include "search/make_for_test.h"
#include "search/methods.h"
#include "search/written.h"

namespace kw::search {
namespace {

using testing::HasSubstr;

const KnobSpace kFourValues({{"A", {1, 2, 3, 4}}});

/// Asks a strategy and tells it outcomes by hand; each written source becomes a new idea, numbered
/// from 10.
class Talk {
 public:
  explicit Talk(std::string_view name, std::vector<Idea> ideas = {}, StrategyOptions options = {})
      : strategy_(*make_strategy(name, std::move(ideas), options)) {}

  Ask ask() {
    auto ask = strategy_->ask();
    EXPECT_TRUE(ask);
    last_ = ask.value_or(Ask{});
    return last_;
  }
  void fails() { fails(last_); }
  void fails(const Ask& ask) {
    strategy_->tell({ask.id, OutcomeClass::Failed, Outcome::WrongResult, 0, {}});
  }
  void works(double speedup, KnobSpace space = {}) { works(last_, speedup, std::move(space)); }
  void works(const Ask& ask, double speedup, KnobSpace space = {}) {
    const bool is_best = speedup > best_;
    best_ = std::max(best_, speedup);
    Tell tell{
        ask.id, is_best ? OutcomeClass::NewBest : OutcomeClass::NoGain, Outcome::Correct, 0, {}};
    tell.speedup.value = tell.merit = speedup;
    if (ask.role == Role::Write) tell.idea = next_idea_++, tell.written = Idea{"w", space};
    strategy_->tell(tell);
  }
  Strategy& strategy() { return *strategy_; }

 private:
  std::unique_ptr<Strategy> strategy_;
  Ask last_;
  double best_ = 0;
  int next_idea_ = 10;
};

Steering pin(int ask) { return {ask, {}, {}}; }
Steering stop(std::vector<int> asks) { return {0, std::move(asks), {}}; }

TEST(RefineSteered, ImprovesWhatIsPinnedUntilItIsNot) {
  Talk t("refine");
  t.ask(), t.works(2);
  t.ask(), t.works(3);
  EXPECT_EQ(t.ask().parent, 2);
  t.strategy().steer(pin(1));
  t.fails();
  const Ask improve = t.ask();
  EXPECT_EQ(improve.parent, 1) << "what failed was asked before: it is not mended";
  EXPECT_EQ(improve.errand, Errand::Improve);
  EXPECT_THAT(improve.why, HasSubstr("pinned"));
  t.fails();
  EXPECT_EQ(t.ask().parent, 4) << "but this one is";
  t.works(9);
  EXPECT_EQ(t.ask().parent, 1) << "the pin stays where it is";
  t.strategy().steer({});
  t.works(1);
  EXPECT_EQ(t.ask().parent, 5);
}

TEST(RefineSteered, LeavesAStoppedBranchForTheBestOfTheOthers) {
  Talk t("refine");
  t.ask(), t.works(2);
  t.ask(), t.works(3);    // derived from ask 1
  t.ask(), t.works(4);    // derived from ask 2
  t.ask(), t.works(2.5);  // derived from ask 3
  t.strategy().steer(stop({2}));
  EXPECT_EQ(t.ask().parent, 1) << "2, 3 and 4 are given up";
  t.works(2.2);
  EXPECT_EQ(t.ask().parent, 5) << "faster than 1, though no new best of the run";
  t.strategy().steer(stop({2, 1}));
  t.fails();
  const Ask anew = t.ask();
  EXPECT_EQ(anew.parent, 0);
  EXPECT_EQ(anew.errand, Errand::Write);
  t.strategy().steer({});
  t.works(1);
  EXPECT_EQ(t.ask().parent, 3) << "lifted: the best of all again";
}

TEST(RefineSteered, StopsMendingAndTuningWhatIsGivenUp) {
  Talk t("refine");
  t.ask(), t.works(2);
  t.ask(), t.works(3, kFourValues);
  EXPECT_EQ(t.ask().role, Role::Tune);
  t.strategy().steer(stop({2}));
  t.works(8);  // the point that was in flight
  EXPECT_EQ(t.ask().parent, 1);
  t.fails();
  EXPECT_EQ(t.ask().errand, Errand::Repair);
  t.strategy().steer(stop({2, 4}));
  t.fails();
  const Ask next = t.ask();
  EXPECT_EQ(next.errand, Errand::Improve);
  EXPECT_EQ(next.parent, 1);
}

TEST(RefineSteered, APinInAStoppedBranchIsNone) {
  Talk t("refine");
  t.ask(), t.works(2);
  t.ask(), t.works(3);
  t.strategy().steer({2, {2}, {}});
  EXPECT_EQ(t.ask().parent, 1);
}

std::vector<Idea> playbook() {
  std::vector<Idea> ideas;
  for (const char* name : {"generic", "rows", "tiles", "packed", "fused"})
    ideas.push_back({name, kFourValues, {name}, std::string_view(name) != "generic"});
  return ideas;
}

TEST(RefineMixed, JudgesTheExpertKernelsAndTunesTheFastestFirst) {
  StrategyOptions options;
  options.start_asks = 5;
  Talk t("refine", playbook(), options);
  for (const int idea : {2, 3, 4}) {
    const Ask ask = t.ask();
    EXPECT_EQ(ask.role, Role::Idea);
    EXPECT_EQ(ask.idea, idea) << "the three most advanced, in order";
    EXPECT_EQ(ask.knobs, (KnobPoint{{"A", 1}}));
    EXPECT_THAT(ask.why, HasSubstr("experts"));
    idea == 4 ? t.fails() : t.works(idea);
  }
  for (int i = 0; i < 2; ++i) {
    const Ask tune = t.ask();
    EXPECT_EQ(tune.role, Role::Tune);
    EXPECT_EQ(tune.idea, 3) << "the fastest correct one";
    EXPECT_EQ(tune.parent, 2);
    t.works(1);
  }
  const Ask improve = t.ask();
  EXPECT_EQ(improve.errand, Errand::Improve) << "the first word is spent on improving";
  EXPECT_EQ(improve.parent, 2);
}

TEST(RefineMixed, TakesFewWhereTheShareIsSmallAndNoneWithoutOne) {
  StrategyOptions options;
  options.start_asks = 1;
  Talk one("refine", playbook(), options);
  EXPECT_EQ(one.ask().idea, 4) << "the most advanced";
  one.works(2);
  EXPECT_EQ(one.ask().role, Role::Write);
  Talk none("refine", playbook());
  EXPECT_EQ(none.ask().errand, Errand::Write);
}

TEST(RefineMixed, WritesAFirstKernelWhereNoExpertHolds) {
  StrategyOptions options;
  options.start_asks = 3;
  Talk t("refine", playbook(), options);
  for (int i = 0; i < 3; ++i) t.ask(), t.fails();
  const Ask first = t.ask();
  EXPECT_EQ(first.errand, Errand::Write);
  EXPECT_EQ(first.parent, 0);
}

TEST(RefineMixed, ManyAsksInFlightAreTunedOnceAllAreTold) {
  StrategyOptions options;
  options.start_asks = 6;
  Talk t("refine", playbook(), options);
  std::vector<Ask> asks;
  for (int i = 0; i < 3; ++i) asks.push_back(t.ask());
  for (int i = 0; i < 3; ++i) t.works(asks[static_cast<std::size_t>(i)], i == 1 ? 5 : 2);
  const Ask tune = t.ask();
  EXPECT_EQ(tune.role, Role::Tune);
  EXPECT_EQ(tune.parent, 2);
}

TEST(RefineMixed, LeavesOutWhatAPersonForbids) {
  StrategyOptions options;
  options.start_asks = 9;
  Talk t("refine", playbook(), options);
  t.strategy().steer({0, {}, {2, 4}});
  EXPECT_EQ(t.ask().idea, 3);
  t.works(2);
  EXPECT_EQ(t.ask().role, Role::Tune);
}

TEST(GreedySteered, LeavesClosedIdeasAndComesBackWhenTheyAreOpened) {
  Talk t("greedy", playbook());
  EXPECT_EQ(t.ask().idea, 0);
  t.strategy().steer({0, {}, {1, 3}});
  t.works(1);
  EXPECT_EQ(t.ask().idea, 2);
  t.works(1);
  EXPECT_EQ(t.ask().idea, 4);
  t.strategy().steer({0, {}, {3}});
  t.works(1);
  EXPECT_EQ(t.ask().idea, 1);
}

TEST(GreedySteered, TunesWhatIsPinnedNextAndNothingThatWasStopped) {
  Talk t("greedy", playbook());
  t.ask(), t.works(1);
  t.ask(), t.works(5);
  t.ask(), t.works(4);
  t.strategy().steer(pin(1));
  const Ask pinned = t.ask();
  EXPECT_EQ(pinned.role, Role::Tune);
  EXPECT_EQ(pinned.idea, 0) << "before the ideas that are left";
  t.strategy().steer(stop({1, 2}));
  t.works(1);
  EXPECT_EQ(t.ask().idea, 3);
  t.works(1);
  EXPECT_EQ(t.ask().idea, 4);
  t.works(1);
  EXPECT_EQ(t.ask().idea, 2) << "the fastest that was not stopped";
}

TEST(RandomSteered, DrawsFromWhatIsOpenAlone) {
  Talk t("random", playbook());
  t.strategy().steer({0, {}, {0, 1, 2, 4}});
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(t.ask().idea, 3);
    t.works(1);
  }
  EXPECT_FALSE(t.strategy().ask());
  EXPECT_TRUE(t.strategy().finished());
  t.strategy().steer({});
  EXPECT_FALSE(t.strategy().finished());
}

TEST(Steered, NothingAtAllChangesNoAsk) {
  const Landscape landscape(LandscapeOptions{.knobs = 1});
  for (const StrategyInfo& info : strategies()) {
    StrategyOptions options;
    options.start_asks = 8;
    const auto plain = info.make(landscape.ideas(), options);
    const auto steered = info.make(landscape.ideas(), options);
    steered->steer({});
    const Play a = play(*plain, landscape, {80, 2});
    const Play b = play(*steered, landscape, {80, 2});
    ASSERT_EQ(a.asks.size(), b.asks.size()) << info.name;
    for (std::size_t i = 0; i < a.asks.size(); ++i)
      EXPECT_EQ(encode_ask(a.asks[i].ask), encode_ask(b.asks[i].ask)) << info.name;
  }
}

TEST(Lineage, KnowsWhatDerivesFromWhat) {
  Lineage l;
  int ask = 0;
  for (const int parent : {0, 1, 2, 0, 3}) l.add(++ask, parent);
  EXPECT_TRUE(l.is_below(5, 1));
  EXPECT_TRUE(l.is_below(3, 3));
  EXPECT_FALSE(l.is_below(4, 1));
  EXPECT_FALSE(l.is_below(1, 2)) << "what it came from";
}

}  // namespace
}  // namespace kw::search
