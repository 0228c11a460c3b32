// Runs whose prompts contain a judge's readings and a person's orders.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <set>

#include "engine/orders.h"
#include "engine/readings.h"
#include "engine/writing_run_for_test.h"

namespace kw::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using GuidedRun = WritingRun;

TEST_F(GuidedRun, AJudgesWordsReachTheNextPromptAndNothingElse) {
  prepare_dialogue();
  const std::string without = log_of(finished(config(10)).run);
  told_.clear();
  has_judge_ = true;
  const RunReport report = finished(config(10));
  EXPECT_EQ(log_of(report.run), without) << "no verdict, rank or reward depends on it";
  EXPECT_THAT(told_[0].text, testing::Not(HasSubstr("reading of"))) << "there is no parent";
  EXPECT_THAT(told_[1].text, HasSubstr("reading of 1"));
  EXPECT_THAT(told_[3].text, HasSubstr("reading of " + std::to_string(told_[3].parent)));
  const std::set<int> once(judge_asked_.begin(), judge_asked_.end());
  EXPECT_EQ(once.size(), judge_asked_.size()) << "one reading of each parent";
  const auto all = attempts(report.run.name);
  EXPECT_THAT(all[1].exchanges, ElementsAre("key of 1"));
  EXPECT_EQ(all[1].usage.total(), 165);
  EXPECT_EQ(reading_of(store_, report.run.id, 1).value()->words, "reading of 1");
}

TEST_F(GuidedRun, AJudgeIsAskedOnceAlsoWhereTheRunIsGoneOnWith) {
  prepare_dialogue();
  has_judge_ = true;
  judge_fails_at_ = 2;
  const RunReport whole = finished(config(10));
  const std::vector<Told> expected = told_;
  const std::vector<int> asked = judge_asked_;
  EXPECT_THAT(expected[2].text, testing::Not(HasSubstr("reading of")));
  EXPECT_EQ(reading_of(store_, whole.run.id, 2).value()->trouble, "no connection");
  for (int stop = 0; stop < 10; ++stop) {
    SCOPED_TRACE(stop);
    told_.clear();
    judge_asked_.clear();
    const std::string name = "synthetic-" + std::to_string(stop + 2);
    ASSERT_TRUE(run(surroundings([&, stop] {
                      const auto run = store_.find(name);
                      return run && run->attempts >= stop;
                    }),
                    config(10)));
    const auto second = resume(surroundings(), store_.find(name).value());
    ASSERT_TRUE(second) << describe(second.error());
    EXPECT_EQ(judge_asked_, asked);
    ASSERT_EQ(told_.size(), expected.size());
    for (std::size_t i = 0; i < told_.size(); ++i) EXPECT_EQ(told_[i].errand, expected[i].errand);
    EXPECT_EQ(log_of(second->run), log_of(whole.run));
  }
}

TEST_F(GuidedRun, KeepsToAPersonsOrders) {
  prepare_dialogue();
  const auto forbidden = "// kw: technique gather";
  answers_.at(6) = writes(3, forbidden);
  answers_.emplace(7, writes(3));
  class Person final : public Observer {
   public:
    explicit Person(store::RunStore& store) : store_(store) {}
    void on_start(const RunSummary& run, const std::string&) override { run_ = run.id; }
    void on_ask(int number, const search::Ask&, const std::string&) override {
      Order order;
      order.kind = number == 1 ? OrderKind::Hint : OrderKind::Forbid;
      order.text = number == 1 ? "two tiles" : "gather";
      if (number == 1 || number == 4) {
        EXPECT_TRUE(give_orders(store_, run_, {order}));
      }
    }

   private:
    store::RunStore& store_;
    std::int64_t run_ = 0;
  } person(store_);
  Surroundings s = surroundings();
  const Surroundings steered{s.workbench, s.carrier,    s.store,    s.clock,  person,
                             {},          s.input_seed, s.judge_id, s.writing};
  const auto report = run(steered, config(7));
  ASSERT_TRUE(report) << describe(report.error());
  EXPECT_THAT(told_[0].text, testing::Not(HasSubstr("two tiles")));
  EXPECT_THAT(told_[1].text, HasSubstr("Worth trying: two tiles"));
  EXPECT_THAT(told_[2].text, testing::Not(HasSubstr("gather")));
  EXPECT_THAT(told_[3].text, HasSubstr("Do not use this technique: gather"));
  const auto all = attempts(report->run.name);
  EXPECT_EQ(all[5].evaluation.verdict.stage, Stage::Screen);
  EXPECT_EQ(all[5].evaluation.verdict.outcome, Outcome::Rejected);
  EXPECT_EQ(all[5].evaluation.verdict.seen.kind, EvidenceKind::ForbiddenTechnique);
  EXPECT_EQ(all[5].evaluation.verdict.seen.subject, "gather");
  EXPECT_THAT(all[5].evaluation.verdict.seen.numbers, testing::ElementsAre(2)) << "of the order";
  EXPECT_TRUE(all[6].evaluation.verdict.is_correct());
}

TEST_F(GuidedRun, OrdersComeAfterWhatIsPaidFor) {
  prepare_dialogue();
  const RunSummary first = interrupted("synthetic-1");
  Exchange paid;
  paid.key = "k";
  paid.scope = propose::scope_of_attempt(3);
  ASSERT_TRUE(store_.exchanges().keep(first.id, paid));
  Order hint;
  hint.text = "two tiles";
  ASSERT_TRUE(give_orders(store_, first.id, {hint}));
  told_.clear();
  ASSERT_TRUE(resume(surroundings(), store_.find("synthetic-1").value()));
  EXPECT_THAT(told_[0].text, testing::Not(HasSubstr("two tiles"))) << "or its reply is lost";
  EXPECT_THAT(told_[1].text, HasSubstr("two tiles"));
  EXPECT_EQ(orders_of(store_, first.id).value().at(0).from_attempt, 4);
}

TEST_F(GuidedRun, OrdersComeAfterAReadingThatIsPaidFor) {
  prepare_dialogue();
  has_judge_ = true;
  for (const bool is_kept : {true, false}) {
    SCOPED_TRACE(is_kept);
    const std::string name = is_kept ? "synthetic-1" : "synthetic-2";
    const RunSummary first = interrupted(name);
    Exchange paid;
    paid.key = "key of 2";
    paid.scope = propose::scope_of_reading(2);
    ASSERT_TRUE(store_.exchanges().keep(first.id, paid));
    Reading reading;
    reading.attempt = 2;
    reading.asked_for = 3;
    if (is_kept) {
      ASSERT_TRUE(keep_reading(store_, first.id, reading));
    }
    Order hint;
    hint.text = "two tiles";
    ASSERT_TRUE(give_orders(store_, first.id, {hint}));
    ASSERT_TRUE(resume(surroundings(), store_.find(name).value()));
    EXPECT_EQ(orders_of(store_, first.id).value().at(0).from_attempt, 4);
  }
}

TEST_F(GuidedRun, AReadingCostsAlsoWhereTheWriterIsTurnedDown) {
  answers_.emplace(1, nothing("no code block"));
  answers_.emplace(2, fail("HTTP 400: the prompt is too long", "fake", Advice::GiveUp));
  has_judge_ = true;
  const auto all = attempts(finished(config(2)).run.name);
  EXPECT_EQ(all[1].evaluation.verdict.outcome, Outcome::NoCandidate);
  EXPECT_THAT(all[1].exchanges, ElementsAre("key of 1"));
  EXPECT_EQ(all[1].usage.total(), 55);
}

}  // namespace
}  // namespace kw::engine
