// Runs on a landscape whose sources a scripted writer makes: fixtures for their tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/text.h"
#include "engine/run.h"
#include "engine/synthetic_workbench.h"
#include "evaluate/synthetic.h"
#include "propose/test_situation.h"
#include "record/codec.h"
#include "store/store_for_test.h"

namespace kw::engine {

inline search::LandscapeOptions landscape() {
  search::LandscapeOptions options;
  options.seed = 7;
  options.values = 3;
  options.knobs = 1;
  options.failure_share = 0;
  return options;
}

/// Everything that a writer was told, as text: equal situations give equal texts.
inline std::string text_of(const propose::Situation& s) {
  std::string text = std::to_string(s.number) + std::string(name_of(s.errand)) + s.baseline +
                     std::to_string(s.baseline_ns) +
                     (s.device == nullptr ? "nothing" : encode(*s.device)) +
                     join(s.instructions, "|") + s.reading;
  if (s.history != nullptr)
    for (const propose::HistoryLine& line : s.history->lines()) text += line.text;
  for (const Reading& said : s.counsel) text += said.words;
  if (s.view != nullptr) text += s.view->prompt;
  for (const Attempt* a : s.shown) text += "shown " + std::to_string(a->number);
  for (const Attempt* a : {s.parent, s.grandparent, s.best})
    text += a == nullptr ? "-" : encode(*a);
  return text;
}

/// The numbers of the attempts in the situation's history.
inline std::vector<int> told_in(const propose::Situation& s) {
  std::vector<int> numbers;
  if (s.history == nullptr) return numbers;
  for (const propose::HistoryLine& line : s.history->lines())
    for (int n = line.first; n <= line.last; ++n) numbers.push_back(n);
  return numbers;
}

/// What the test remembers of one situation.
struct Told {
  Errand errand = Errand::Write;
  int parent = 0;
  int grandparent = 0;
  int best = 0;
  std::size_t history = 0;
  std::string parent_source;
  std::string evidence;  ///< Evidence of the parent's verdict.
  std::string text;
};

/// In a shortlist, the kth further kernel for attempt n is the answer n + k * kFurther.
inline constexpr int kFurther = 1000;

/// Writes what the test prepared for the nth attempt; fails if there is nothing.
class FakeProposer final : public propose::Proposer {
 public:
  using Answers = std::map<int, Result<Proposal>>;
  FakeProposer(const Answers& answers, std::vector<Told>& told, llm::Ledger& ledger)
      : answers_(answers), told_(told), ledger_(ledger) {}

  Result<Proposal> propose(const propose::Situation& s) override {
    Told told{s.errand, 0, 0, 0, told_in(s).size(), {}, {}, text_of(s)};
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
    const auto found = answers_.find(s.number + kFurther * asked_[s.number]++);
    if (found == answers_.end()) return fail("the test has no answer", "fake", Advice::Stop);
    return found->second;
  }

 private:
  const Answers& answers_;
  std::vector<Told>& told_;
  llm::Ledger& ledger_;
  std::map<int, int> asked_;  // number of requests, by attempt
};

/// A judge that reads something in every attempt except those that the test names.
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

/// Answers in every role with a text that includes what it was shown; turns down whatever says
/// UNFIT.
class FakeCounsel final : public propose::Counsel {
 public:
  explicit FakeCounsel(std::vector<std::string>& asked) : asked_(asked) {}
  Result<Reading> consult(const propose::Situation& s) override {
    Reading reading;
    reading.asked_for = s.number;
    reading.role = s.view->role;
    reading.exchange = s.view->role + " of " + std::to_string(s.number);
    reading.usage = {50, 0, 0, 5, false};
    reading.words = "word of the " + s.view->role;
    reading.is_turned_down =
        s.written != nullptr && s.written->source.find("UNFIT") != std::string::npos;
    std::string shown;
    for (const int number : told_in(s)) shown += " " + std::to_string(number);
    asked_.push_back(s.view->role + " for " + std::to_string(s.number) + ", parent " +
                     std::to_string(s.parent == nullptr ? 0 : s.parent->number) + ", sees" + shown);
    return reading;
  }

 private:
  std::vector<std::string>& asked_;
};

/// A carrier that judges by a landscape. Sources that say WRONG are wrong, and sources that differ
/// only in lines of remarks (`// remark`) become the same object.
class LandscapeJudge final : public evaluate::Carrier {
 public:
  explicit LandscapeJudge(const search::Surface& landscape) : inner_(landscape) {}
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

class WritingRun : public store::OpenStore {
 protected:
  /// A proposal with the source of the landscape's idea `idea` and one more line.
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
    writing_.task = &task_;
    writing_.open = [this](const RunSummary& run) -> Result<Desk> {
      Desk desk;
      desk.ledger = std::make_unique<llm::Ledger>(run.config.limits, run.spent);
      desk.proposer = std::make_unique<FakeProposer>(answers_, told_, *desk.ledger);
      desk.counsel = std::make_unique<FakeCounsel>(counsel_asked_);
      desk.expected = expected_;
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
  /// A run of ten attempts that was interrupted once it had two.
  RunSummary interrupted(const std::string& name) {
    const auto report = run(surroundings([&] {
                              const auto run = store_.find(name);
                              return run && run->attempts >= 2;
                            }),
                            config(10));
    EXPECT_TRUE(report) << describe(report.error());
    EXPECT_TRUE(store_.update(report->run));
    return report->run;
  }
  std::vector<Attempt> attempts(const std::string& name) const {
    std::vector<Attempt> all;
    EXPECT_TRUE(store_.attempts().for_each(store_.find(name)->id, store::Sources::Load,
                                           [&](Attempt& a) -> Result<> {
                                             all.push_back(a);
                                             return {};
                                           }));
    return all;
  }
  std::string log_of(const RunSummary& run) const {
    return platform::read_file(store_.folder_of(run) / kDecisionLog).value();
  }
  /// Prepares the answers: nothing usable, a wrong kernel, a right one with two more points, a
  /// better one, nothing.
  void prepare_dialogue() {
    answers_.emplace(1, nothing("no code block"));
    answers_.emplace(2, writes(1, "// WRONG"));
    answers_.emplace(3, writes(1));
    answers_.emplace(6, writes(3));
    answers_.emplace(9, nothing("the edit does not apply"));
    answers_.emplace(10, writes(3, "// again, else"));
  }

  SyntheticWorkbench workbench_{landscape()};
  LandscapeJudge judge_{workbench_.landscape()};
  platform::FakeClock clock_;
  Observer observer_;
  task::Definition task_ = propose::test_task();
  Writing writing_;
  FakeProposer::Answers answers_;
  std::vector<Told> told_;
  std::function<double(const Attempt*, const Candidate&)> expected_;
  bool has_judge_ = false;
  int judge_fails_at_ = 0;
  std::vector<int> judge_asked_;
  std::vector<std::string> counsel_asked_;
};

}  // namespace kw::engine
