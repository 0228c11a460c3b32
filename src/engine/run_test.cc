// Runs on a synthetic landscape: begun, interrupted anywhere, resumed, replayed.
// SPDX-License-Identifier: Apache-2.0
#include "engine/run.h"

#include <gmock/gmock.h>

#include <deque>
#include <map>

#include "base/contains.h"
#include "base/error_for_test.h"
#include "base/text.h"
#include "engine/failing_carrier_for_test.h"
#include "engine/recording_carrier_for_test.h"
#include "engine/synthetic_workbench.h"
#include "evaluate/synthetic.h"
#include "store/store_for_test.h"

namespace kw::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;

constexpr int kAttempts = 24;

/// A carrier whose calls all take a hundred times as long.
class SlowCarrier final : public evaluate::Carrier {
 public:
  explicit SlowCarrier(evaluate::Carrier& inner) : inner_(inner) {}
  Result<DeviceFacts> open(const std::optional<DeviceFacts>& f) override { return inner_.open(f); }
  Result<> submit(EvaluationRequest request) override { return inner_.submit(std::move(request)); }
  Result<Evaluation> next() override {
    auto evaluation = KW_TRY(inner_.next());
    for (WorkloadResult& w : evaluation.workloads) {
      w.median_ns *= 100;
      w.opponent_ns *= 100;
    }
    return evaluation;
  }

 private:
  evaluate::Carrier& inner_;
};

/// A carrier with which every candidate fails as an opponent.
class SabotagedCarrier final : public evaluate::Carrier {
 public:
  explicit SabotagedCarrier(evaluate::Carrier& inner) : inner_(inner) {}
  Result<DeviceFacts> open(const std::optional<DeviceFacts>& f) override { return inner_.open(f); }
  Result<> submit(EvaluationRequest request) override {
    met_.push_back(request.opponent.name);
    return inner_.submit(std::move(request));
  }
  Result<Evaluation> next() override {
    auto evaluation = KW_TRY(inner_.next());
    const std::string opponent = met_.front();
    met_.pop_front();
    if (opponent.empty() || opponent == "baseline") return evaluation;
    ++faults;
    Evaluation spoiled;
    spoiled.id = evaluation.id;
    spoiled.opponent_fault = "the opponent '" + opponent + "': crashed";
    spoiled.verdict = {Stage::Measure, Outcome::Unmeasurable, spoiled.opponent_fault};
    return spoiled;
  }
  int faults = 0;

 private:
  evaluate::Carrier& inner_;
  std::deque<std::string> met_;
};

/// A carrier with which every setting of a source compiles to the same object.
class OneObjectCarrier final : public evaluate::Carrier {
 public:
  explicit OneObjectCarrier(evaluate::Carrier& inner) : inner_(inner) {}
  Result<DeviceFacts> open(const std::optional<DeviceFacts>& f) override { return inner_.open(f); }
  Result<> submit(EvaluationRequest request) override {
    request_ = request;
    return inner_.submit(std::move(request));
  }
  Result<Evaluation> next() override {
    Evaluation evaluation = KW_TRY(inner_.next());
    const std::string object = "object of " + request_.candidate.name;
    if (contains(request_.known_objects, object)) {
      evaluation = {};
      evaluation.verdict = {Stage::Compile, Outcome::Correct, "known"};
    } else {
      ++judged[object];
    }
    evaluation.object_sha256 = object;
    return evaluation;
  }
  std::map<std::string, int> judged;

 private:
  evaluate::Carrier& inner_;
  EvaluationRequest request_;
};

class Counter final : public Observer {
 public:
  void on_attempt(const Attempt&, const Standing&) override { ++attempts; }
  void on_start(const RunSummary&, const std::string&) override { ++starts; }
  void on_confirm(const Attempt&) override { ++confirmations; }
  void on_notice(const std::string& text) override { notices += text + "\n"; }
  int starts = 0;
  int attempts = 0;
  int confirmations = 0;
  std::string notices;
};

search::LandscapeOptions landscape() {
  search::LandscapeOptions options;
  options.seed = 7;
  return options;
}

RunConfig config(int outstanding = 1) {
  RunConfig c;
  c.task = "synthetic";
  c.max_attempts = kAttempts;
  c.seed = 3;
  c.outstanding = outstanding;
  return c;
}

/// One workspace with a landscape; every part of a run may be replaced.
class RunTest : public store::OpenStore {
 protected:
  Surroundings surroundings(evaluate::Carrier& carrier, std::function<bool()> is_interrupted = {}) {
    counter_ = {};
    return {workbench_, carrier,    store_, clock_, counter_, std::move(is_interrupted),
            1,          "synthetic"};
  }
  RunReport finished(int outstanding = 1) {
    auto report = run(surroundings(carrier_), config(outstanding)).value();
    EXPECT_TRUE(store_.update(report.run));
    return report;
  }
  /// The decision log in the folder of a run.
  std::vector<std::string> decisions(const RunReport& report) {
    const std::string text =
        platform::read_file(store_.folder_of(report.run) / kDecisionLog).value();
    std::vector<std::string> lines;
    for (const std::string_view line : split_lines(text)) lines.emplace_back(line);
    return lines;
  }
  std::vector<Attempt> attempts(const std::string& run) {
    std::vector<Attempt> attempts;
    EXPECT_TRUE(store_.attempts().for_each(stored(run).id, store::Sources::Load,
                                           [&](Attempt& a) -> Result<> {
                                             attempts.push_back(a);
                                             return {};
                                           }));
    return attempts;
  }
  RunSummary stored(const std::string& name) { return store_.find(name).value(); }

  SyntheticWorkbench workbench_{landscape()};
  evaluate::SyntheticCarrier carrier_{workbench_.landscape()};
  platform::FakeClock clock_;
  Counter counter_;
};

TEST_F(RunTest, EndsWithAConfirmedWinner) {
  const RunReport report = finished();
  EXPECT_EQ(report.run.attempts, kAttempts);
  EXPECT_EQ(counter_.attempts, kAttempts);
  ASSERT_TRUE(report.confirmation);
  EXPECT_TRUE(report.confirmation->speedup.is_faster);
  EXPECT_EQ(report.run.state, RunState::Finished);
  EXPECT_THAT(report.run.stopped_by, HasSubstr("24"));
  EXPECT_EQ(report.baseline, "baseline");
  const RunSummary run = stored("synthetic-1");
  ASSERT_TRUE(report.best);
  EXPECT_EQ(run.best_attempt, report.best->number);
  EXPECT_TRUE(run.is_confirmed);
  EXPECT_EQ(run.best_speedup, report.confirmation->speedup.value);
  EXPECT_THAT(attempts("synthetic-1"), SizeIs(kAttempts));
  EXPECT_THAT(store_.events().of(run.id, "confirm").value(), SizeIs(counter_.confirmations));
  EXPECT_THAT(store_.events().of(run.id, kTermsEvent).value(), SizeIs(counter_.confirmations));
  EXPECT_TRUE(report.terms);
}

TEST_F(RunTest, IsDeterministic) {
  EXPECT_EQ(decisions(finished()), decisions(finished()));
  EXPECT_NE(decisions(finished(3)), decisions(finished())) << "asks in flight are part of the run";
}

TEST_F(RunTest, ReplayGivesTheSameDecisions) {
  for (const int outstanding : {1, 4}) {
    const RunReport report = finished(outstanding);
    EXPECT_EQ(replay(workbench_, store_, stored(report.run.name)).value(), decisions(report));
  }
}

TEST_F(RunTest, ReplayNoticesAnotherSeedOrBaseline) {
  const RunReport report = finished();
  RunSummary run = stored(report.run.name);
  run.config.strategy = "random";
  const auto replayed = replay(workbench_, store_, run).value();
  const std::vector<std::string> recorded = decisions(report);
  ASSERT_LT(replayed.size(), recorded.size()) << "it ends at the first ask that differs";
  const std::size_t last = replayed.size() - 1;
  EXPECT_THAT(replayed[last], testing::MatchesRegex("[0-9]+ ask \\{.*"));
  EXPECT_THAT(recorded[last], StartsWith(replayed[last].substr(0, replayed[last].find('{'))));
  EXPECT_NE(recorded[last], replayed[last]);
  run.config.baseline = "gone";
  EXPECT_THAT(replay(workbench_, store_, run), IsErrorAbout(ErrorCode::Changed, "gone"));
}

TEST_F(RunTest, ReplayNoticesThatThePlaybookGrew) {
  RunSummary run = stored(finished().run.name);
  EXPECT_EQ(run.config.ideas, static_cast<int>(workbench_.ideas().size()));
  --run.config.ideas;
  EXPECT_THAT(replay(workbench_, store_, run), IsErrorAbout(ErrorCode::Changed, "kernels"));
}

TEST_F(RunTest, InterruptedAfterAnyAttemptItGoesOnTheSame) {
  const std::vector<std::string> expected = decisions(finished());
  for (int stop = 1; stop < kAttempts; ++stop) {
    SCOPED_TRACE(stop);
    auto first = run(surroundings(carrier_, [&] { return counter_.attempts >= stop; }), config());
    ASSERT_TRUE(first) << describe(first.error());
    EXPECT_EQ(first->run.state, RunState::Interrupted);
    EXPECT_EQ(decisions(*first).back(), "stop " + first->run.stopped_by);
    EXPECT_FALSE(first->run.is_confirmed) << "no confirmation after an interrupt";
    ASSERT_TRUE(store_.update(first->run));
    EXPECT_EQ(replay(workbench_, store_, stored(first->run.name)).value(), decisions(*first));
    const auto second = resume(surroundings(carrier_), stored(first->run.name));
    ASSERT_TRUE(second) << describe(second.error());
    EXPECT_EQ(decisions(*second), expected);
    EXPECT_EQ(counter_.attempts, kAttempts - stop) << "recorded attempts are not judged again";
  }
}

TEST_F(RunTest, ALostDeviceStopsTheRunWhichCanBeResumed) {
  const std::vector<std::string> expected = decisions(finished());
  FailingCarrier failing(carrier_, 9, Advice::Stop);
  const auto failed = run(surroundings(failing), config());
  EXPECT_THAT(failed, IsErrorAbout(ErrorCode::Ended, "worker"));
  const RunSummary run = stored("synthetic-2");
  EXPECT_EQ(run.state, RunState::Stopped);
  EXPECT_THAT(run.stopped_by, HasSubstr("the worker is gone"));
  EXPECT_FALSE(std::filesystem::exists(store_.folder_of(run) / kDecisionLog));
  EXPECT_EQ(decisions(resume(surroundings(carrier_), run).value()), expected);
}

TEST_F(RunTest, IncumbentsThatFailAsOpponentsStopNothing) {
  for (const int outstanding : {1, 4}) {
    SabotagedCarrier carrier(carrier_);
    auto report = run(surroundings(carrier), config(outstanding));
    ASSERT_TRUE(report) << describe(report.error());
    ASSERT_TRUE(store_.update(report->run));
    EXPECT_GT(carrier.faults, 0);
    EXPECT_THAT(counter_.notices, HasSubstr("failed when it was timed as the opponent"));
    EXPECT_EQ(report->run.attempts, kAttempts);
    EXPECT_TRUE(report->run.is_confirmed);
    EXPECT_EQ(report->run.best_attempt, finished(outstanding).run.best_attempt)
        << "who is best does not depend on whom they met";
    for (const Attempt& a : attempts(report->run.name))
      EXPECT_NE(a.evaluation.verdict.outcome, Outcome::Unmeasurable) << a.number;
    EXPECT_EQ(replay(workbench_, store_, stored(report->run.name)).value(), decisions(*report));
  }
}

TEST_F(RunTest, AnErrorOfTheCarrierIsNeverAnAttempt) {
  FailingCarrier failing(carrier_, 3, Advice::GiveUp);
  ASSERT_FALSE(run(surroundings(failing), config()));
  const RunSummary half = stored("synthetic-1");
  EXPECT_EQ(half.state, RunState::Stopped);
  for (const Attempt& a : attempts(half.name))
    EXPECT_NE(a.evaluation.verdict.outcome, Outcome::Unsupported);
  EXPECT_TRUE(resume(surroundings(carrier_), half));
}

TEST_F(RunTest, TroubleInTheConfirmationLosesNothing) {
  // The carrier judges the baseline, then the attempts, and fails at the confirmation.
  FailingCarrier failing(carrier_, 1 + kAttempts + 1, Advice::Stop);
  ASSERT_FALSE(run(surroundings(failing), config()));
  const RunSummary failed = stored("synthetic-1");
  EXPECT_EQ(failed.attempts, kAttempts);
  EXPECT_EQ(failed.state, RunState::Stopped);
  EXPECT_THAT(failed.stopped_by, HasSubstr("the worker is gone"));
  EXPECT_THAT(counter_.notices, HasSubstr("kw resume synthetic-1"));
  const auto resumed = resume(surroundings(carrier_), failed);
  ASSERT_TRUE(resumed) << describe(resumed.error());
  EXPECT_TRUE(resumed->run.is_confirmed);
  EXPECT_EQ(counter_.attempts, 0);
}

TEST_F(RunTest, WhatAnInterruptedRunConfirmedIsConfirmedAgain) {
  finished();
  const int wins_at = counter_.confirmations;
  const auto first =
      run(surroundings(carrier_, [&] { return counter_.confirmations == wins_at; }), config());
  ASSERT_TRUE(first) << describe(first.error());
  EXPECT_EQ(first->run.state, RunState::Interrupted);
  EXPECT_TRUE(first->run.is_confirmed);
  ASSERT_TRUE(store_.update(first->run));
  const auto second =
      resume(surroundings(carrier_, [&] { return counter_.starts > 0; }), stored("synthetic-2"));
  ASSERT_TRUE(second) << describe(second.error());
  EXPECT_FALSE(second->confirmation);
  EXPECT_FALSE(second->run.is_confirmed);
  EXPECT_FALSE(stored("synthetic-2").is_confirmed);
}

TEST_F(RunTest, AFullDiskStopsAtTheAttempt) {
  disk_.set_read_only(true);
  const auto report = run(surroundings(carrier_), config());
  ASSERT_FALSE(report);
  EXPECT_THAT(attempts("synthetic-1"), SizeIs(0));
  disk_.set_read_only(false);
  EXPECT_TRUE(resume(surroundings(carrier_), stored("synthetic-1")));
}

TEST_F(RunTest, AFinishedRunIsNotResumed) {
  const RunReport report = finished();
  EXPECT_THAT(resume(surroundings(carrier_), stored(report.run.name)),
              IsErrorAbout(ErrorCode::WrongState, "finished"));
}

TEST_F(RunTest, WrongNamesAreToldBeforeARunIsMade) {
  RunConfig wrong = config();
  wrong.baseline = "baselin";
  EXPECT_THAT(run(surroundings(carrier_), wrong), IsErrorAbout(ErrorCode::NotFound, "baselin"));
  EXPECT_THAT(store_.list().value(), SizeIs(0));
}

TEST_F(RunTest, NoiseFloorsAreRememberedForAnHour) {
  const Surroundings s = surroundings(carrier_);
  const auto baselines = s.workbench.baselines();
  EvaluationRequest request = s.workbench.request(baselines.front(), &baselines.front()).value();
  Evaluation evaluation;
  evaluation.workloads.resize(2);
  evaluation.workloads[0].name = "a";
  evaluation.workloads[0].speedup.noise_floor = 0.02;
  evaluation.workloads[0].speedup.floor_series = 4;
  evaluation.workloads[1].name = "b";
  ASSERT_TRUE(remember_floors(s, request, evaluation));
  ASSERT_TRUE(recall_floors(s, request));
  EXPECT_THAT(request.measure.noise_floors, ElementsAre(Pair("a", NoiseFloor{0.02, 4})));
  clock_.step_wall(1800);
  evaluation.workloads.pop_back();
  // An evaluation of another workload alone keeps the noise floors of the first workload, with
  // their age.
  evaluation.workloads[0].name = "c";
  ASSERT_TRUE(remember_floors(s, request, evaluation));
  ASSERT_TRUE(recall_floors(s, request));
  EXPECT_THAT(request.measure.noise_floors, SizeIs(2));
  clock_.step_wall(1800);
  request.measure.noise_floors.clear();
  ASSERT_TRUE(recall_floors(s, request));
  EXPECT_THAT(request.measure.noise_floors, IsEmpty()) << "an hour is too old";
  clock_.step_wall(-7200);
  ASSERT_TRUE(recall_floors(s, request));
  EXPECT_THAT(request.measure.noise_floors, IsEmpty()) << "from the future: the clock was set";
}

TEST_F(RunTest, AWallClockThatStepsBackChangesNothing) {
  const auto expected = decisions(finished());
  const auto step = [this] {
    clock_.step_wall(-3600);
    clock_.advance(std::chrono::milliseconds(1));
    return false;
  };
  const auto report = run(surroundings(carrier_, step), config()).value();
  EXPECT_EQ(decisions(report), expected);
  EXPECT_GT(report.run.spent_ns, 0);
  std::int64_t last_ns = 0;
  for (const Attempt& attempt : attempts("synthetic-2")) {
    EXPECT_GT(attempt.at_ns, last_ns);
    last_ns = attempt.at_ns;
  }
  EXPECT_LT(stored("synthetic-2").started_at, stored("synthetic-1").started_at);
  EXPECT_EQ(store_.list().value().back().name, "synthetic-2") << "in the order of making";
}

TEST_F(RunTest, BaselinesAreTimedOnce) {
  const auto first = time_baselines(surroundings(carrier_)).value();
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_GT(first[0].mean_ns, 0);
  FailingCarrier broken(carrier_, 1, Advice::Stop);
  EXPECT_EQ(time_baselines(surroundings(broken))->front().mean_ns, first[0].mean_ns)
      << "remembered, so the carrier is not asked";
}

TEST_F(RunTest, AReachedGoalEndsTheRun) {
  RunConfig easy = config();
  easy.goals.speedup = 1.2;
  const auto report = run(surroundings(carrier_), easy);
  ASSERT_TRUE(report);
  EXPECT_LT(report->run.attempts, kAttempts);
  EXPECT_THAT(report->run.stopped_by, HasSubstr("goal"));
}

TEST_F(RunTest, PatienceEndsTheRunAndIsPartOfIt) {
  RunConfig impatient = config();
  impatient.patience = 3;
  const auto report = run(surroundings(carrier_), impatient);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->run.stopped_by, "patience: no new best in 3 attempts");
  EXPECT_LT(report->run.attempts, kAttempts);
  ASSERT_TRUE(store_.update(report->run));
  EXPECT_EQ(replay(workbench_, store_, stored(report->run.name)).value(), decisions(*report));
}

TEST_F(RunTest, OnlyTheSearchIsProfiledAndOnlyWhereAsked) {
  for (const bool profiles : {false, true}) {
    RecordingCarrier carrier(carrier_);
    RunConfig c = config();
    c.profiles = profiles;
    ASSERT_TRUE(run(surroundings(carrier), c));
    for (const auto& asked : carrier.asked)
      EXPECT_EQ(asked.profiles, profiles && asked.purpose == Purpose::Search);
    for (const auto& asked : carrier.asked) EXPECT_FALSE(asked.of_slower);
  }
}

TEST_F(RunTest, SettingsThatCompileToTheSameObjectAreJudgedOnce) {
  OneObjectCarrier carrier(carrier_);
  const auto report = run(surroundings(carrier), config()).value();
  std::map<std::string, int> judged_by;
  int recalled = 0;
  for (const Attempt& attempt : attempts(report.run.name)) {
    if (!attempt.evaluation.verdict.is_correct()) continue;
    const auto [first, is_new] = judged_by.try_emplace(attempt.candidate.name, attempt.number);
    EXPECT_EQ(attempt.recalled, is_new ? 0 : first->second);
    recalled += attempt.recalled != 0 ? 1 : 0;
    if (attempt.recalled == 0) continue;
    EXPECT_THAT(attempt.words, HasSubstr("not judged again"));
  }
  EXPECT_GT(recalled, 0);
  ASSERT_TRUE(store_.update(report.run));
  EXPECT_EQ(replay(workbench_, store_, stored(report.run.name)).value(), decisions(report));
}

TEST_F(RunTest, CostlyTasksAreTunedInFewPoints) {
  SlowCarrier slow(carrier_);
  const auto most_points = [this](evaluate::Carrier& carrier, const std::string& judge) {
    RunConfig long_enough = config();
    long_enough.max_attempts = 60;
    Surroundings s = surroundings(carrier);
    s.judge_id = judge;  // with another judge the baseline's time is not remembered
    const auto report = run(s, long_enough);
    EXPECT_TRUE(report) << describe(report.error());
    std::map<std::string, int> points;
    for (const Attempt& a : attempts(report->run.name))
      if (a.parent != 0) ++points[a.candidate.name];
    int most = 0;
    for (const auto& [idea, count] : points) most = std::max(most, count);
    return most;
  };
  EXPECT_EQ(most_points(slow, "slow"), 9);
  EXPECT_GT(most_points(carrier_, "quick"), 9);
}

TEST_F(RunTest, TheTunerIsPartOfTheRun) {
  RunConfig climbing = config();
  climbing.tuner = "climb";
  const auto report = run(surroundings(carrier_), climbing);
  ASSERT_TRUE(report);
  EXPECT_NE(decisions(*report), decisions(finished()));
  ASSERT_TRUE(store_.update(report->run));
  EXPECT_EQ(replay(workbench_, store_, stored(report->run.name)).value(), decisions(*report));
  const auto half =
      run(surroundings(carrier_, [&] { return counter_.attempts >= kAttempts / 2; }), climbing);
  ASSERT_TRUE(half && store_.update(half->run));
  EXPECT_EQ(decisions(resume(surroundings(carrier_), stored(half->run.name)).value()),
            decisions(*report));
  climbing.tuner = "clim";
  EXPECT_THAT(run(surroundings(carrier_), climbing),
              IsErrorAbout(ErrorCode::NotFound, "clim -> climb"));
}

}  // namespace
}  // namespace kw::engine
