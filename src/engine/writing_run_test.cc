// Runs whose sources are written while they go: what the writer is told, resume, replay, budgets.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "engine/orders.h"
#include "engine/readings.h"
#include "engine/run.h"
#include "engine/synthetic_workbench.h"
#include "evaluate/synthetic.h"
#include "record/codec.h"

namespace kw::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

search::LandscapeOptions landscape() {
  search::LandscapeOptions options;
  options.seed = 7;
  options.values = 3;
  options.knobs = 1;
  options.failure_share = 0;
  return options;
}

/// All that a writer was told, as text: equal situations give equal texts.
std::string text_of(const propose::Situation& s) {
  std::string text = std::to_string(s.number) + std::string(name_of(s.errand)) + s.baseline +
                     std::to_string(s.baseline_ns) + encode(*s.device) + join(s.instructions, "|") +
                     s.reading;
  for (const AttemptLine& line : s.history) text += encode(line);
  for (const Attempt* a : {s.parent, s.grandparent, s.best})
    text += a == nullptr ? "-" : encode(*a);
  return text;
}

/// What the test remembers of one situation.
struct Told {
  Errand errand = Errand::Write;
  int parent = 0;
  int grandparent = 0;
  int best = 0;
  std::size_t history = 0;
  std::string parent_source;
  std::string evidence;  ///< Of the parent's verdict.
  std::string text;
};

/// Writes what the test prepared for the nth attempt, or else fails.
class FakeProposer final : public propose::Proposer {
 public:
  using Answers = std::map<int, Result<Proposal>>;
  FakeProposer(const Answers& answers, std::vector<Told>& told, llm::Ledger& ledger)
      : answers_(answers), told_(told), ledger_(ledger) {}

  Result<Proposal> propose(const propose::Situation& s) override {
    Told told{s.errand, 0, 0, 0, s.history.size(), {}, {}, text_of(s)};
    if (s.parent != nullptr) {
      told.parent = s.parent->number;
      told.parent_source = s.parent->candidate.source;
      told.evidence = s.parent->evaluation.verdict.evidence;
    }
    if (s.grandparent != nullptr) told.grandparent = s.grandparent->number;
    if (s.best != nullptr) told.best = s.best->number;
    told_.push_back(told);
    const Usage usage{100, 0, 0, 10, false};
    KW_TRY(ledger_.reserve(usage, Price{}, "fake"));
    ledger_.settle(usage, usage, Price{});
    const auto found = answers_.find(s.number);
    if (found == answers_.end()) return fail("the test has no answer", "fake", Advice::Stop);
    return found->second;
  }

 private:
  const Answers& answers_;
  std::vector<Told>& told_;
  llm::Ledger& ledger_;
};

/// Reads something in every attempt but those that the test names.
class FakeJudge final : public propose::Judge {
 public:
  FakeJudge(std::vector<int>& asked, int fails_at) : asked_(asked), fails_at_(fails_at) {}
  Result<Reading> read(const propose::Situation& s) override {
    asked_.push_back(s.parent->number);
    Reading reading;
    reading.attempt = s.parent->number;
    reading.asked_for = s.number;
    if (reading.attempt == fails_at_) {
      reading.trouble = "no connection";
      return reading;
    }
    reading.words = "reading of " + std::to_string(reading.attempt);
    reading.exchange = "key of " + std::to_string(reading.attempt);
    reading.usage = {50, 0, 0, 5, false};
    return reading;
  }

 private:
  std::vector<int>& asked_;
  const int fails_at_;
};

/// A landscape's carrier; sources that say WRONG are, and sources that differ in nothing but a
/// `// remark` line become the same object.
class Judge final : public evaluate::Carrier {
 public:
  explicit Judge(const search::Landscape& landscape) : inner_(landscape) {}
  Result<DeviceFacts> open(const std::optional<DeviceFacts>& f) override { return inner_.open(f); }
  Result<> submit(EvaluationRequest request) override {
    request_ = request;
    return inner_.submit(std::move(request));
  }
  Result<Evaluation> next() override {
    Evaluation e = KW_TRY(inner_.next());
    std::string code;
    for (const std::string_view line : split_lines(request_.candidate.source))
      if (!line.starts_with("// remark")) code += std::string(line) + "\n";
    e.object_sha256 = sha256(code + search::to_text(request_.candidate.knobs)).hex();
    const auto& known = request_.known_objects;
    if (std::find(known.begin(), known.end(), e.object_sha256) != known.end()) {
      Evaluation same;
      same.verdict = {Stage::Compile, Outcome::Correct, "known"};
      same.object_sha256 = e.object_sha256;
      return same;
    }
    ++judged;
    if (code.find("WRONG") != std::string::npos)
      e.verdict = {Stage::Check, Outcome::WrongResult, "3 of 9 differ"};
    return e;
  }
  int judged = 0;

 private:
  evaluate::SyntheticCarrier inner_;
  EvaluationRequest request_;
};

class WritingRun : public testing::Test {
 protected:
  /// Source of idea `idea` of the landscape, with one more line.
  Proposal writes(int idea, const std::string& line = "") const {
    Proposal p;
    p.candidate = workbench_.candidate(idea, {}).value();
    if (!line.empty()) p.candidate.source += line + "\n";
    p.candidate.origin = Origin::Model;
    p.plan = "plan of " + std::to_string(idea);
    p.usage = {100, 0, 0, 10, false};
    return p;
  }
  static Proposal nothing(const std::string& evidence) {
    Proposal p;
    p.evidence = evidence;
    return p;
  }
  RunConfig config(int attempts) const {
    RunConfig c;
    c.task = "synthetic";
    c.strategy = "refine";
    c.max_attempts = attempts;
    c.models = {"fake"};
    c.constraints = {"no threads"};
    c.hints = {"blocks"};
    return c;
  }
  Surroundings surroundings(std::function<bool()> is_interrupted = {}) {
    writing_.open = [this](const RunSummary& run) -> Result<Desk> {
      Desk desk;
      desk.ledger = std::make_unique<llm::Ledger>(run.config.limits, run.spent);
      desk.proposer = std::make_unique<FakeProposer>(answers_, told_, *desk.ledger);
      if (has_judge_) desk.judge = std::make_unique<FakeJudge>(judge_asked_, judge_fails_at_);
      return desk;
    };
    return {workbench_, judge_,  store_,   clock_, observer_, std::move(is_interrupted),
            1,          "judge", &writing_};
  }
  RunReport finished(const RunConfig& c) {
    auto report = run(surroundings(), c);
    EXPECT_TRUE(report) << describe(report.error());
    EXPECT_TRUE(store_.update(report->run));
    return *report;
  }
  std::vector<Attempt> attempts(const std::string& name) const {
    std::vector<Attempt> all;
    EXPECT_TRUE(store_.for_each_attempt(store_.find(name)->id, store::Sources::Load,
                                        [&](Attempt& a) -> Result<> {
                                          all.push_back(a);
                                          return {};
                                        }));
    return all;
  }
  std::string log_of(const RunSummary& run) const {
    return platform::read_file(store_.folder_of(run) / kDecisionLog).value();
  }
  /// Nothing usable, a wrong one, a right one with two more points, a better one, nothing.
  void prepare_dialogue() {
    answers_.emplace(1, nothing("no code block"));
    answers_.emplace(2, writes(1, "// WRONG"));
    answers_.emplace(3, writes(1));
    answers_.emplace(6, writes(3));
    answers_.emplace(9, nothing("the edit does not apply"));
    answers_.emplace(10, writes(3, "// again, else"));
  }

  platform::TempDir dir_ = std::move(platform::TempDir::create("kw-writing").value());
  platform::MemoryDisk disk_;
  store::RunStore store_ = store::RunStore::open(dir_.path(), disk_).value();
  SyntheticWorkbench workbench_{landscape()};
  Judge judge_{workbench_.landscape()};
  platform::FakeClock clock_;
  Observer observer_;
  Writing writing_;
  FakeProposer::Answers answers_;
  std::vector<Told> told_;
  bool has_judge_ = false;
  int judge_fails_at_ = 0;
  std::vector<int> judge_asked_;
};

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
  EXPECT_THAT(all[2].evaluation.findings.front().text,
              HasSubstr("same compiled code as attempt 1"));
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
  answers_.at(6) = fail("no connection after 6 tries", "fake", Advice::Retry);
  const auto broken = run(surroundings(), config(10));
  ASSERT_FALSE(broken);
  RunSummary stored = store_.find("synthetic-1").value();
  EXPECT_EQ(stored.state, RunState::Failed);
  EXPECT_THAT(stored.stopped_by, HasSubstr("no connection after 6 tries"));
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
  EXPECT_THAT(run(s, config(3)).error().what, HasSubstr("give --model"));
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

TEST_F(WritingRun, AJudgesWordsReachTheNextPromptAndNothingElse) {
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

TEST_F(WritingRun, AJudgeIsAskedOnceAlsoWhereTheRunIsGoneOnWith) {
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

TEST_F(WritingRun, KeepsToAPersonsOrders) {
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
        EXPECT_TRUE(give_order(store_, run_, order));
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
  EXPECT_THAT(all[5].evaluation.verdict.evidence, HasSubstr("'gather'"));
  EXPECT_TRUE(all[6].evaluation.verdict.is_correct());
}

TEST_F(WritingRun, OrdersComeAfterWhatIsPaidFor) {
  prepare_dialogue();
  const auto first = run(surroundings([&] {
                           const auto run = store_.find("synthetic-1");
                           return run && run->attempts >= 2;
                         }),
                         config(10));
  ASSERT_TRUE(first && store_.update(first->run));
  Exchange paid;
  paid.key = "k";
  paid.scope = propose::scope_of_attempt(3);
  ASSERT_TRUE(store_.keep_exchange(first->run.id, paid));
  Order hint;
  hint.text = "two tiles";
  ASSERT_TRUE(give_order(store_, first->run.id, hint));
  told_.clear();
  ASSERT_TRUE(resume(surroundings(), store_.find("synthetic-1").value()));
  EXPECT_THAT(told_[0].text, testing::Not(HasSubstr("two tiles"))) << "or its reply is lost";
  EXPECT_THAT(told_[1].text, HasSubstr("two tiles"));
  EXPECT_EQ(orders_of(store_, first->run.id).value().at(0).from_attempt, 4);
}

}  // namespace
}  // namespace kw::engine
