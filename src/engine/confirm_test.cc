// The end of a run: how long its confirmation may take, and what an interrupt does to it.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "base/error_for_test.h"
#include "engine/run.h"
#include "engine/synthetic_workbench.h"
#include "evaluate/synthetic.h"
#include "store/store_for_test.h"

namespace kw::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A carrier whose attempts take a second each and whose confirmations take ten seconds; an
/// evaluation that is told to hurry ends at once without a result.
class TimedCarrier final : public evaluate::Carrier {
 public:
  TimedCarrier(evaluate::Carrier& inner, platform::FakeClock& clock)
      : inner_(inner), clock_(clock) {}
  Result<DeviceFacts> open(const std::optional<DeviceFacts>& f) override { return inner_.open(f); }
  Result<> submit(EvaluationRequest request) override {
    is_confirmation_ = request.measure.purpose == Purpose::Confirm;
    if (is_confirmation_) given_ns.push_back(request.measure.wall_ns);
    return inner_.submit(std::move(request));
  }
  Result<Evaluation> next() override {
    auto evaluation = KW_TRY(inner_.next());
    clock_.advance(std::chrono::seconds(is_confirmation_ ? 10 : 1));
    clock_.advance(device_wait);
    waited_ns_ += std::chrono::nanoseconds(device_wait).count();
    if (!is_confirmation_) return evaluation;
    if (loses) evaluation.speedup.is_faster = false;
    if (is_interrupted) *is_interrupted = true;
    if (is_hurried_ && is_hurried_())
      evaluation.verdict = {Stage::Measure, Outcome::Unmeasurable, "interrupted"};
    return evaluation;
  }
  void hurry_when(std::function<bool()> is_hurried) override {
    is_hurried_ = std::move(is_hurried);
  }

  std::int64_t waited_ns() const override { return waited_ns_; }

  std::vector<std::int64_t> given_ns;
  std::chrono::seconds device_wait{0};  ///< Time that every evaluation waits for the device.
  bool loses = false;
  bool* is_interrupted = nullptr;  ///< Set while the first confirmation is made.

 private:
  evaluate::Carrier& inner_;
  platform::FakeClock& clock_;
  std::function<bool()> is_hurried_;
  bool is_confirmation_ = false;
  std::int64_t waited_ns_ = 0;
};

class Listener final : public Observer {
 public:
  void on_notice(const std::string& text) override { notices += text + "\n"; }
  std::string notices;
};

class Confirm : public store::OpenStore {
 protected:
  RunReport finished(std::int64_t max_time_s) {
    RunConfig config;
    config.task = "synthetic";
    config.max_attempts = 24;
    config.max_time_ns = max_time_s * 1'000'000'000;
    const auto report = run({workbench_, carrier_, store_, clock_, listener_,
                             [&] { return is_interrupted_; }, 1, "synthetic"},
                            config);
    EXPECT_TRUE(report) << describe(report.error());
    return *report;
  }
  static search::LandscapeOptions landscape() {
    search::LandscapeOptions options;
    options.seed = 7;
    return options;
  }

  SyntheticWorkbench workbench_{landscape()};
  evaluate::SyntheticCarrier inner_{workbench_.landscape()};
  platform::FakeClock clock_;
  TimedCarrier carrier_{inner_, clock_};
  Listener listener_;
  bool is_interrupted_ = false;
};

constexpr std::int64_t kSecond = 1'000'000'000;

TEST_F(Confirm, MayTakeWhatIsLeftOfTheTime) {
  finished(0);
  EXPECT_THAT(carrier_.given_ns, ElementsAre(0)) << "no bound, no limit";
  carrier_.given_ns.clear();
  finished(100);
  EXPECT_THAT(carrier_.given_ns, ElementsAre(76 * kSecond)) << "24 attempts took 24 s";
  carrier_.given_ns.clear();
  finished(20);
  EXPECT_THAT(carrier_.given_ns, ElementsAre(5 * kSecond)) << "its share is 3 s: never so little";
}

TEST_F(Confirm, WaitingForTheDeviceIsNoTimeOfTheRun) {
  const RunReport alone = finished(30);
  const auto given = carrier_.given_ns;
  carrier_.given_ns.clear();
  carrier_.device_wait = std::chrono::seconds(60);
  const RunReport beside = finished(30);
  EXPECT_EQ(beside.run.attempts, alone.run.attempts);
  EXPECT_GT(beside.run.attempts, 1);
  EXPECT_EQ(beside.run.stopped_by, alone.run.stopped_by);
  EXPECT_EQ(beside.run.spent_ns, alone.run.spent_ns);
  EXPECT_EQ(carrier_.given_ns, given) << "nor is it taken from the confirmation";
}

TEST_F(Confirm, OthersAreTriedWhileThereIsTime) {
  carrier_.loses = true;
  finished(0);
  const std::size_t all = carrier_.given_ns.size();
  ASSERT_GT(all, 1u);
  carrier_.given_ns.clear();
  finished(24);
  EXPECT_EQ(carrier_.given_ns.size(), 1u);
  EXPECT_THAT(listener_.notices, HasSubstr("no time is left to confirm another kernel"));
}

TEST_F(Confirm, AnInterruptEndsItAndConfirmsNothing) {
  carrier_.is_interrupted = &is_interrupted_;
  const RunReport report = finished(0);
  EXPECT_EQ(report.run.state, RunState::Interrupted);
  EXPECT_FALSE(report.run.is_confirmed);
  EXPECT_FALSE(report.confirmation);
  ASSERT_TRUE(report.best) << "it is reported, unconfirmed";
  EXPECT_EQ(carrier_.given_ns.size(), 1u);
  EXPECT_THAT(listener_.notices, HasSubstr("kw resume synthetic-1 begins it again"));
  EXPECT_THAT(store_.events().of(report.run.id, "confirm").value(), IsEmpty());
}

TEST(Baselines, AnUnknownNameIsToldWithThoseThereAre) {
  std::vector<BaselineStanding> standings(2);
  standings[0].candidate.name = "reference";
  standings[1].candidate.name = "omp";
  EXPECT_THAT(choose_baseline(standings, "omq"), IsErrorAbout(ErrorCode::NotFound, "omq"));
}

TEST(Baselines, ABusyMachineIsNoFaultOfTheTask) {
  std::vector<BaselineStanding> standings(1);
  standings[0].candidate.name = "omp";
  Verdict& verdict = standings[0].evaluation.verdict;
  verdict = make_verdict(Stage::Measure, Outcome::Unmeasurable,
                         {.kind = EvidenceKind::OpponentHasNoTime});
  EXPECT_THAT(choose_baseline(standings, "omp"), IsErrorAbout(ErrorCode::Failed, "omp"));
  EXPECT_FALSE(choose_baseline(standings, "omp").error().is_input);
  EXPECT_THAT(choose_baseline(standings, ""), IsErrorAbout(ErrorCode::Failed, "baselines"));
  verdict.outcome = Outcome::WrongResult;
  EXPECT_THAT(choose_baseline(standings, "omp"), IsErrorAbout(ErrorCode::TaskAtFault, "omp"));
  EXPECT_TRUE(choose_baseline(standings, "omp").error().is_input);
  EXPECT_THAT(choose_baseline(standings, ""), IsErrorAbout(ErrorCode::TaskAtFault, "baselines"));
}

}  // namespace
}  // namespace kw::engine
