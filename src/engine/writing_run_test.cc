// Runs whose sources are written while they go on: what the writer is told, resume, replay,
// budgets.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "base/error_for_test.h"
#include "engine/scripted_stack_for_test.h"
#include "engine/writing_run_for_test.h"

namespace kw::engine {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(WritingRun, EachOutcomeIsFedBack) {
  prepare_dialogue();
  const RunReport report = finished(config(10));
  ASSERT_THAT(told_, SizeIs(6));
  EXPECT_EQ(told_[0].errand, Errand::Write);
  EXPECT_EQ(told_[1].errand, Errand::Repair);
  EXPECT_EQ(told_[1].parent, 1);
  EXPECT_EQ(told_[1].evidence, "no code block");
  EXPECT_EQ(told_[1].parent_source, "") << "there was none before it";
  EXPECT_EQ(told_[2].errand, Errand::Repair);
  EXPECT_EQ(told_[2].parent, 2);
  EXPECT_EQ(told_[2].grandparent, 1);
  EXPECT_EQ(told_[2].evidence, "3 of 9 differ");
  EXPECT_THAT(told_[2].parent_source, HasSubstr("WRONG"));
  EXPECT_EQ(told_[2].best, 0);
  EXPECT_EQ(told_[3].errand, Errand::Improve);
  EXPECT_EQ(told_[3].history, 5u) << "both points of the knob were tried before the next word";
  EXPECT_EQ(told_[3].parent, told_[3].best);
  EXPECT_EQ(told_[5].errand, Errand::Repair);
  EXPECT_EQ(told_[5].parent, 9);
  EXPECT_EQ(told_[5].parent_source, writes(3).candidate.source) << "what the edit was meant for";
  EXPECT_THAT(told_[0].text,
              testing::AllOf(HasSubstr("must hold: no threads"), HasSubstr("trying: blocks")));

  const auto all = attempts(report.run.name);
  ASSERT_THAT(all, SizeIs(10));
  EXPECT_EQ(all[0].evaluation.verdict.stage, Stage::Propose);
  EXPECT_EQ(all[0].evaluation.verdict.outcome, Outcome::NoCandidate);
  EXPECT_EQ(all[0].reward, 0);
  EXPECT_EQ(all[2].plan, "plan of 1");
  EXPECT_EQ(all[2].usage.completion_tokens, 10);
  EXPECT_EQ(all[3].candidate.source, all[2].candidate.source);
  ASSERT_TRUE(report.best);
  EXPECT_EQ(report.run.spent.calls, 6);
  EXPECT_EQ(store_.find(report.run.name)->spent.tokens, 660);
}

TEST_F(WritingRun, ToldAsMuchAsItsFeedbackAllows) {
  for (const FeedbackLevel level : {FeedbackLevel::None, FeedbackLevel::Errors,
                                    FeedbackLevel::Findings, FeedbackLevel::Profile}) {
    SCOPED_TRACE(name_of(level));
    answers_.clear();
    told_.clear();
    prepare_dialogue();
    RunConfig limited = config(10);
    limited.feedback = level;
    const RunReport report = finished(limited);
    ASSERT_THAT(told_, SizeIs(6)) << "the strategy sees everything all the same";
    const bool has_errors = level >= FeedbackLevel::Errors;
    const bool has_times = level >= FeedbackLevel::Findings;
    EXPECT_EQ(told_[2].evidence, has_errors ? "3 of 9 differ" : "");
    EXPECT_THAT(told_[2].parent_source, HasSubstr("WRONG"));
    EXPECT_EQ(told_[3].history, has_errors ? 5u : 0u);
    EXPECT_EQ(told_[3].best != 0, has_times);
    EXPECT_EQ(told_[3].parent, 4) << "the best, or nothing could be improved";
    EXPECT_EQ(told_[3].text.find("median_ns") != std::string::npos, has_times);
    EXPECT_EQ(store_.find(report.run.name)->config.feedback, level);
  }
}

TEST_F(WritingRun, OfAShortlistTheMostPromisingIsJudgedAndAllArePaid) {
  answers_.emplace(1, writes(1, "// plain"));
  answers_.emplace(1 + kFurther, writes(1, "// promising"));
  answers_.emplace(1 + 2 * kFurther, nothing("no code block"));
  expected_ = [](const Attempt* parent, const Candidate& candidate) {
    EXPECT_EQ(parent, nullptr) << "a first kernel";
    return candidate.source.find("promising") == std::string::npos ? 0.1 : 0.5;
  };
  RunConfig three = config(1);
  three.shortlist = 3;
  const RunReport report = finished(three);
  const auto all = attempts(report.run.name);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].candidate.source, HasSubstr("promising"));
  EXPECT_EQ(all[0].usage.completion_tokens, 20) << "the reply without code says nothing of its own";
  EXPECT_EQ(report.run.spent.calls, 3);
}

TEST_F(WritingRun, NothingIsJudgedTwice) {
  answers_.emplace(1, writes(0));
  answers_.emplace(2, writes(0));
  answers_.emplace(3, writes(0, "// remark"));
  answers_.emplace(4, writes(0, "// WRONG"));
  answers_.emplace(5, writes(0, "// WRONG"));
  const RunReport report = finished(config(5));
  const auto all = attempts(report.run.name);
  EXPECT_EQ(all[0].recalled, 0);
  EXPECT_EQ(all[1].recalled, 1);
  EXPECT_EQ(all[2].recalled, 1) << "the same compiled code";
  EXPECT_EQ(all[4].recalled, 4);
  EXPECT_THAT(all[1].words, HasSubstr("the same as attempt 1, not judged again: correct, 1.01"));
  EXPECT_THAT(all[4].words, HasSubstr("not judged again: failed at check: wrong_result"));
  EXPECT_EQ(all[2].evaluation.findings.front().about, "same compiled code");
  EXPECT_EQ(all[1].outcome_class, OutcomeClass::NoGain);
  EXPECT_EQ(all[4].outcome_class, OutcomeClass::Failed);
  EXPECT_EQ(judge_.judged, 4) << "the baseline, two kernels, a confirmation";
  EXPECT_EQ(told_[4].errand, Errand::Repair);
}

TEST_F(WritingRun, InterruptedAnywhereItAsksTheSameAgain) {
  prepare_dialogue();
  const RunReport whole = finished(config(10));
  const std::vector<Told> expected = told_;
  for (int stop = 0; stop < 10; ++stop) {
    SCOPED_TRACE(stop);
    told_.clear();
    const std::string name = "synthetic-" + std::to_string(stop + 2);
    const auto first = run(surroundings([&, stop] {
                             const auto run = store_.find(name);
                             return run && run->attempts >= stop;
                           }),
                           config(10));
    ASSERT_TRUE(first) << describe(first.error());
    ASSERT_TRUE(store_.update(first->run));
    writing_.device.model = "another machine by now";
    const auto second = resume(surroundings(), store_.find(name).value());
    writing_.device.model.clear();
    ASSERT_TRUE(second) << describe(second.error());
    EXPECT_EQ(log_of(second->run), log_of(whole.run));
    ASSERT_EQ(told_.size(), expected.size()) << "nothing is asked twice";
    for (std::size_t i = 0; i < told_.size(); ++i) EXPECT_EQ(told_[i].errand, expected[i].errand);
    EXPECT_EQ(second->run.spent.calls, 6);
  }
}

TEST_F(WritingRun, TroubleWithTheModelLosesNothing) {
  prepare_dialogue();
  ScriptedStack stack(clock_);
  llm::Call call;
  const auto trouble = stack.model("dead", "===\n!repeat forever\n!500\nno\n").complete({}, call);
  answers_.at(6) = std::unexpected(trouble.error());
  const auto broken = run(surroundings(), config(10));
  ASSERT_FALSE(broken);
  RunSummary stored = store_.find("synthetic-1").value();
  EXPECT_EQ(stored.state, RunState::Stopped);
  EXPECT_THAT(stored.stopped_by, HasSubstr("given up after 6 tries"));
  EXPECT_EQ(stored.attempts, 5);
  EXPECT_EQ(stored.spent.calls, 4) << "a call that failed counts";
  const std::string asked = told_.back().text;
  answers_.at(6) = writes(3);
  told_.clear();
  ASSERT_TRUE(resume(surroundings(), stored));
  EXPECT_EQ(told_.front().text, asked) << "the same to the byte";
}

TEST_F(WritingRun, AUsedUpBudgetEndsTheRunWell) {
  prepare_dialogue();
  RunConfig few = config(10);
  few.limits.calls = 4;
  const RunReport report = finished(few);
  EXPECT_EQ(report.run.stopped_by, "the budget of 4 model calls is used up");
  EXPECT_EQ(report.run.state, RunState::Finished);
  EXPECT_EQ(report.run.attempts, 8) << "tuning needs no words";
  EXPECT_TRUE(report.confirmation) << "the best is confirmed all the same";
  EXPECT_EQ(
      join(replay(workbench_, store_, store_.find(report.run.name).value()).value(), "\n") + "\n",
      log_of(report.run));
}

/// Writes after a wait of a minute, if that is allowed.
class SlowProposer final : public propose::Proposer {
 public:
  SlowProposer(Proposal proposal, llm::Ledger& ledger, platform::FakeClock& clock)
      : proposal_(std::move(proposal)), ledger_(ledger), clock_(clock) {}
  Result<Proposal> propose(const propose::Situation&) override {
    constexpr std::chrono::nanoseconds kWait = std::chrono::minutes(1);
    KW_TRY(ledger_.allow_wait(clock_.now_ns(), kWait.count(), "fake"));
    clock_.sleep_for(kWait);
    return proposal_;
  }

 private:
  const Proposal proposal_;
  llm::Ledger& ledger_;
  platform::FakeClock& clock_;
};

TEST_F(WritingRun, NobodyIsWaitedForLongerThanTheRunHasTime) {
  RunConfig c = config(10);
  c.max_time_ns = 100'000'000'000;
  Surroundings s = surroundings();
  writing_.open = [this](const RunSummary& run) -> Result<Desk> {
    Desk desk;
    desk.ledger = std::make_unique<llm::Ledger>(run.config.limits, run.spent);
    desk.proposer = std::make_unique<SlowProposer>(writes(1, "// WRONG"), *desk.ledger, clock_);
    return desk;
  };
  const auto report = run(s, c);
  ASSERT_TRUE(report) << describe(report.error());
  EXPECT_EQ(report->run.attempts, 1);
  EXPECT_EQ(report->run.state, RunState::Finished);
  EXPECT_THAT(report->run.stopped_by,
              HasSubstr("fake asks for a wait of 60.0 s, and the search has 25.0 s left"));
}

TEST_F(WritingRun, ARequestThatIsTurnedDownIsAnAttempt) {
  answers_.emplace(1, fail("HTTP 400: the prompt is too long", "fake", Advice::GiveUp));
  answers_.emplace(2, writes(1));
  const RunReport report = finished(config(2));
  const auto all = attempts(report.run.name);
  EXPECT_EQ(all[0].evaluation.verdict.outcome, Outcome::NoCandidate);
  EXPECT_THAT(all[0].words, HasSubstr("the prompt is too long"));
}

TEST_F(WritingRun, ReplaysWithoutAnybodyWhoWrites) {
  prepare_dialogue();
  for (const char* strategy : {"refine", "best-of-n"}) {
    RunConfig c = config(10);
    c.strategy = strategy;
    c.writes = 3;
    const RunReport report = finished(c);
    const auto decisions = replay(workbench_, store_, store_.find(report.run.name).value());
    ASSERT_TRUE(decisions) << describe(decisions.error());
    EXPECT_EQ(join(*decisions, "\n") + "\n", log_of(report.run));
  }
}

TEST_F(WritingRun, BrokenDirectivesAreNoCandidate) {
  answers_.emplace(1, writes(1, "// kw: tune"));
  const RunReport report = finished(config(1));
  const auto all = attempts(report.run.name);
  EXPECT_EQ(all[0].evaluation.verdict.outcome, Outcome::NoCandidate);
  EXPECT_THAT(all[0].evaluation.findings, testing::Not(IsEmpty()));
  EXPECT_THAT(all[0].candidate.source, HasSubstr("kw: tune")) << "kept, so that it can be mended";
}

TEST_F(WritingRun, WithoutAWriterThereIsNoRun) {
  Surroundings s = surroundings();
  s.writing = nullptr;
  EXPECT_THAT(run(s, config(3)), IsErrorAbout(ErrorCode::Missing, "--model"));
  EXPECT_THAT(store_.list().value(), IsEmpty());
}

TEST_F(WritingRun, ExchangesAreKeptWithTheRun) {
  const RunSummary run = store_.create(config(1), "").value();
  StoredExchanges exchanges(store_, run.id);
  EXPECT_EQ(exchanges.find("k").value(), std::nullopt);
  Exchange exchange;
  exchange.key = "k";
  exchange.scope = "attempt 1";
  exchange.reply.usage = {1000, 0, 0, 200, false};
  exchange.reply.cost_usd = 0.25;
  ASSERT_TRUE(exchanges.keep(exchange));
  ASSERT_TRUE(exchanges.keep(exchange)) << "kept once";
  EXPECT_EQ(encode(*exchanges.find("k").value()), encode(exchange));
  const Spending spent = store_.find(run.name)->spent;
  EXPECT_EQ(spent.calls, 1);
  EXPECT_EQ(spent.tokens, 1200);
  EXPECT_EQ(spent.usd, 0.25);
}

}  // namespace
}  // namespace kw::engine
