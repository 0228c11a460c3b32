// Tests of strategies that ask for sources: what they ask for after each kind of outcome.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <deque>

#include "search/landscape.h"
#include "search/make_for_test.h"
#include "search/methods.h"

namespace kw::search {
namespace {

using testing::HasSubstr;

const KnobSpace kThreeValues({{"A", {1, 2, 3}}});

/// Asks a strategy and tells it outcomes that the test chooses.
class Dialogue {
 public:
  explicit Dialogue(std::string_view name, StrategyOptions options = {})
      : strategy_((*find_strategy(name))->make({}, options)) {}

  Ask ask() {
    auto ask = strategy_->ask();
    EXPECT_TRUE(ask);
    last_ = ask.value_or(Ask{});
    return last_;
  }
  /// Tells that the last ask failed with this outcome.
  void fails(Outcome outcome) { strategy_->tell({last_.id, OutcomeClass::Failed, outcome, 0, {}}); }
  void is_unanswered(const Ask& ask) {
    Tell tell{ask.id, OutcomeClass::Failed, Outcome::NoCandidate, 0, {}};
    tell.is_unanswered = true;
    strategy_->tell(tell);
  }
  /// Tells that the last ask was correct; a written source became idea `idea` with the knobs of
  /// `space`.
  void works(double speedup, OutcomeClass outcome_class, int idea = 0, KnobSpace space = {}) {
    Tell tell{last_.id, outcome_class, Outcome::Correct, 0, {}};
    tell.speedup.value = tell.merit = speedup;
    if (last_.role == Role::Write) tell.idea = idea, tell.written = Idea{"w", std::move(space)};
    strategy_->tell(tell);
  }
  Strategy& strategy() { return *strategy_; }

 private:
  std::unique_ptr<Strategy> strategy_;
  Ask last_;
};

void expect_write(const Ask& ask, Errand errand, int parent) {
  EXPECT_EQ(ask.role, Role::Write) << encode_ask(ask);
  EXPECT_EQ(ask.idea, kUnwritten);
  EXPECT_EQ(name_of(ask.errand), name_of(errand)) << ask.why;
  EXPECT_EQ(ask.parent, parent) << ask.why;
}

TEST(Refine, WritesMendsAndImproves) {
  Dialogue d("refine");
  expect_write(d.ask(), Errand::Write, 0);
  d.fails(Outcome::CompileFailed);
  expect_write(d.ask(), Errand::Repair, 1);
  d.fails(Outcome::WrongResult);
  expect_write(d.ask(), Errand::Repair, 2);
  d.works(0.5, OutcomeClass::NoGain);
  expect_write(d.ask(), Errand::Improve, 3);
  d.works(2, OutcomeClass::NewBest, 1);
  expect_write(d.ask(), Errand::Improve, 4);
  d.works(1.5, OutcomeClass::NoGain, 2);
  expect_write(d.ask(), Errand::Improve, 4);
}

TEST(Refine, RethinksWhenTheSameErrorComesTwice) {
  Dialogue d("refine");
  d.ask();
  d.fails(Outcome::CompileFailed);
  expect_write(d.ask(), Errand::Repair, 1);
  d.fails(Outcome::CompileFailed);
  const Ask rethink = d.ask();
  expect_write(rethink, Errand::Rethink, 2);
  EXPECT_THAT(rethink.why, HasSubstr("compile_failed twice in a row"));
  d.fails(Outcome::CompileFailed);
  expect_write(d.ask(), Errand::Repair, 3);
}

TEST(Refine, LeavesWhatThreeRepairsDidNotMend) {
  Dialogue d("refine");
  d.ask();
  d.works(2, OutcomeClass::NewBest);
  expect_write(d.ask(), Errand::Improve, 1);
  d.fails(Outcome::Crashed);
  expect_write(d.ask(), Errand::Repair, 2);
  d.fails(Outcome::WrongResult);
  expect_write(d.ask(), Errand::Repair, 3);
  d.fails(Outcome::TimedOut);
  expect_write(d.ask(), Errand::Repair, 4);
  d.fails(Outcome::Crashed);
  const Ask anew = d.ask();
  expect_write(anew, Errand::Improve, 1);
  EXPECT_THAT(anew.why, HasSubstr("3 repairs did not help"));
}

TEST(Refine, HowOftenItMendsIsAPersonsToSay) {
  for (const int most : {0, 1, 5}) {
    StrategyOptions options;
    options.repairs = most;
    Dialogue d("refine", options);
    d.ask();
    d.works(2, OutcomeClass::NewBest);
    expect_write(d.ask(), Errand::Improve, 1);
    for (int i = 0; i < most; ++i) {
      d.fails(i % 2 == 0 ? Outcome::Crashed : Outcome::WrongResult);
      expect_write(d.ask(), Errand::Repair, i + 2);
    }
    d.fails(Outcome::TimedOut);
    const Ask anew = d.ask();
    expect_write(anew, Errand::Improve, 1);
    EXPECT_EQ(anew.why.find("repairs did not help") != std::string::npos, most > 0) << anew.why;
  }
}

TEST(Refine, AReplyWithoutACandidateIsAFailureLikeOthers) {
  Dialogue d("refine");
  d.ask();
  d.fails(Outcome::NoCandidate);
  expect_write(d.ask(), Errand::Repair, 1);
  d.fails(Outcome::NoCandidate);
  expect_write(d.ask(), Errand::Rethink, 2);
}

TEST(Refine, TunesBeforeTheNextWord) {
  Dialogue d("refine");
  d.ask();
  d.works(1.1, OutcomeClass::NewBest, 7, kThreeValues);
  for (const std::int64_t value : {2, 3}) {
    const Ask tune = d.ask();
    EXPECT_EQ(tune.role, Role::Tune);
    EXPECT_EQ(tune.idea, 7);
    EXPECT_EQ(tune.parent, 1);
    EXPECT_EQ(tune.knobs, (KnobPoint{{"A", value}}));
    d.works(value == 2 ? 3 : 1, value == 2 ? OutcomeClass::NewBest : OutcomeClass::NoGain);
  }
  expect_write(d.ask(), Errand::Improve, 2);
  d.works(3, OutcomeClass::NoGain, 7, kThreeValues);
  expect_write(d.ask(), Errand::Improve, 2);  // the same source is not tuned twice
  d.works(0.1, OutcomeClass::NoGain, 8, kThreeValues);
  expect_write(d.ask(), Errand::Improve, 2);  // a source too slow to become the best is not tuned
}

TEST(Refine, WaitsForTheOutcomeAndNeverEndsByItself) {
  Dialogue d("refine");
  d.ask();
  EXPECT_EQ(d.strategy().ask(), std::nullopt);
  EXPECT_FALSE(d.strategy().finished());
  for (int i = 0; i < 200; ++i) {
    d.fails(Outcome::NoCandidate);
    d.ask();
  }
}

TEST(BestOfN, WritesThemAllThenTunesTheBest) {
  StrategyOptions options;
  options.writes = 3;
  Dialogue d("best-of-n", options);
  for (int i = 0; i < 3; ++i) {
    expect_write(d.ask(), Errand::Write, 0);
    if (i == 0)
      d.fails(Outcome::CompileFailed);
    else
      d.works(i, OutcomeClass::NoGain, i, kThreeValues);
  }
  for (int i = 0; i < 2; ++i) {
    const Ask tune = d.ask();
    EXPECT_EQ(tune.role, Role::Tune);
    EXPECT_EQ(tune.idea, 2);
    d.works(1, OutcomeClass::NoGain);
  }
  EXPECT_TRUE(d.strategy().finished());
  EXPECT_EQ(d.strategy().ask(), std::nullopt);
}

TEST(BestOfN, BeginsWithTheExpertsKernels) {
  StrategyOptions options;
  options.writes = 1;
  options.start_asks = 4;
  std::vector<Idea> ideas{{"generic", {}}, {"old", {}}, {"new", kThreeValues}};
  ideas[1].is_expert = ideas[2].is_expert = true;
  const auto strategy = make_best_of_n(ideas, options);
  const auto works = [&](const Ask& ask, double speedup) {
    Tell tell{ask.id, OutcomeClass::NoGain, Outcome::Correct, 0, {}};
    tell.speedup.value = tell.merit = speedup;
    if (ask.role == Role::Write) tell.idea = 3, tell.written = Idea{"w", kThreeValues};
    strategy->tell(tell);
  };
  const auto first = strategy->ask(), second = strategy->ask();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->idea, 1);
  EXPECT_EQ(second->idea, 2);
  EXPECT_FALSE(strategy->ask()) << "which of them is tuned is not known yet";
  works(*first, 1);
  works(*second, 2);
  for (int i = 0; i < 2; ++i) {
    const auto tune = strategy->ask();
    ASSERT_TRUE(tune);
    EXPECT_EQ(tune->role, Role::Tune);
    EXPECT_EQ(tune->idea, 2);
    works(*tune, 1.5);
  }
  const auto write = strategy->ask();
  ASSERT_TRUE(write);
  expect_write(*write, Errand::Write, 0);
  EXPECT_FALSE(strategy->finished());
  works(*write, 2.5);
  EXPECT_EQ(strategy->ask()->role, Role::Tune) << "the best of those that were written";
}

TEST(BestOfN, AsksForAllAtOnceAndEndsWhereNothingWorks) {
  StrategyOptions options;
  options.writes = 3;
  const auto strategy = make_best_of_n({}, options);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(strategy->ask());
  EXPECT_FALSE(strategy->ask());
  for (int i = 0; i < 3; ++i)
    strategy->tell({i + 1, OutcomeClass::Failed, Outcome::NoCandidate, 0, {}});
  EXPECT_TRUE(strategy->finished());
}

TEST(Writing, ReplayOfTheRecordGivesTheSameNextAsk) {
  const Landscape landscape(LandscapeOptions{});
  for (const char* name : {"refine", "best-of-n"})
    for (const std::size_t outstanding : {1U, 4U}) {
      const auto original = *make_strategy(name, {}, {});
      const Play record = play(*original, landscape, {150, outstanding});
      EXPECT_GT(record.asks.size(), 8U) << name;
      const auto resumed = *make_strategy(name, {}, {});
      std::size_t asked = 0;
      for (std::size_t told = 0; told < record.asks.size(); ++told) {
        while (asked - told < outstanding) {
          const auto ask = resumed->ask();
          if (!ask) break;
          // The record ends at its limit of asks, while the strategy may go on.
          if (asked < record.asks.size()) {
            ASSERT_EQ(encode_ask(*ask), encode_ask(record.asks[asked].ask)) << name;
          }
          ++asked;
        }
        resumed->tell(record.asks[told].tell);
      }
    }
}

TEST(Writing, RefineTunesItsWayToTheTopOfALandscape) {
  const Landscape landscape(LandscapeOptions{});
  const auto strategy = *make_strategy("refine", {}, {});
  const Play result = play(*strategy, landscape, {400, 1});
  EXPECT_GE(result.best / landscape.best(), 0.95);
}

TEST(Refine, WhatNobodyAnsweredIsNoFailureAndNoParent) {
  Dialogue d("refine");
  d.ask();
  d.fails(Outcome::NoCandidate);
  const Ask mends = d.ask();
  expect_write(mends, Errand::Repair, 1);
  for (int outage = 0; outage < 5; ++outage) {
    d.is_unanswered(outage == 0 ? mends : d.ask());
    EXPECT_FALSE(d.strategy().finished());
  }
  const Ask again = d.ask();
  expect_write(again, Errand::Repair, 1);
  EXPECT_EQ(again.why, mends.why + "; once more, since nobody answered");
  d.fails(Outcome::WrongResult);
  const Ask next = d.ask();
  expect_write(next, Errand::Repair, again.id);
  EXPECT_THAT(next.why, HasSubstr("repair 2 of 3"));
}

TEST(Writing, WhatNobodyAnsweredIsAskedAgainByEveryMethod) {
  for (const StrategyInfo& info : strategies()) {
    if (!info.is_writing) continue;
    SCOPED_TRACE(info.name);
    StrategyOptions options;
    options.writes = 3;
    Dialogue d(info.name, options);
    for (int step = 0; step < 3; ++step) {
      const Ask first = d.ask();
      d.is_unanswered(first);
      Ask again = d.ask();
      EXPECT_EQ(again.id, first.id + 1);
      EXPECT_EQ(again.repeats, first.id);
      again.id = first.id, again.repeats = 0, again.why = first.why;
      EXPECT_EQ(again, first);
      d.fails(Outcome::WrongResult);
    }
  }
}

TEST(Writing, OfSeveralInFlightTheOneThatNobodyAnsweredKeepsItsPlace) {
  Dialogue d("evolve");
  const Ask first = d.ask();
  const Ask second = d.ask();
  d.is_unanswered(first);
  d.fails(Outcome::WrongResult);
  const Ask again = d.ask();
  EXPECT_THAT(again.why, HasSubstr("island 1"));
  d.fails(Outcome::WrongResult);
  for (int turn = 0; turn < 2; ++turn) d.ask(), d.fails(Outcome::CompileFailed);
  const Ask mends_first = d.ask();
  expect_write(mends_first, Errand::Repair, again.id);
  EXPECT_THAT(mends_first.why, HasSubstr("island 1"));
  d.fails(Outcome::CompileFailed);
  const Ask mends_second = d.ask();
  expect_write(mends_second, Errand::Repair, second.id);
  EXPECT_THAT(mends_second.why, HasSubstr("island 2"));
}

TEST(Writing, WhatNobodyAnsweredIsDroppedWhereAPersonWantsSomethingElse) {
  Dialogue d("refine");
  d.ask();
  d.works(2, OutcomeClass::NewBest, 10);
  d.ask();
  d.works(3, OutcomeClass::NewBest, 11);
  const Ask improves = d.ask();
  expect_write(improves, Errand::Improve, 2);
  d.is_unanswered(improves);
  d.strategy().steer({1, {}, {}});
  expect_write(d.ask(), Errand::Improve, 1);
}

TEST(Writing, TheErrandIsPartOfTheAsk) {
  Ask ask{3, kUnwritten, 2, Role::Write, {}, 1, "why", Errand::Rethink};
  EXPECT_EQ(encode_ask(ask),
            R"({"errand":"rethink","fidelity":1.0,"id":3,"idea":-1,"knobs":{},"parent":2,)"
            R"("role":"write","why":"why"})");
  ask.role = Role::Idea;
  EXPECT_THAT(encode_ask(ask), testing::Not(HasSubstr("errand"))) << "as recorded before";
}

}  // namespace
}  // namespace kw::search
