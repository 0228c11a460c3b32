// A run whose process is killed at each of its steps in turn, and which is then resumed.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "base/text.h"
#include "engine/run.h"
#include "engine/synthetic_workbench.h"
#include "evaluate/synthetic.h"

namespace kw::engine {
namespace {

using testing::Contains;
using testing::Key;

constexpr int kAttemptsOfAKilledRun = 4;

search::LandscapeOptions landscape_of_killed() {
  search::LandscapeOptions options;
  options.seed = 7;
  return options;
}

/// Kills the process, as by kill -9, when it comes to step `fatal` (from 1; 0: never).
class Steps {
 public:
  explicit Steps(int fatal = 0) : fatal_(fatal) {}
  void come_to(const std::string& step) {
    ++seen[step];
    if (++taken == fatal_) ::kill(::getpid(), SIGKILL);
  }
  int taken = 0;
  std::map<std::string, int> seen;

 private:
  int fatal_;
};

/// Watches a run and counts each call as a step at which the process can be killed. What the run
/// stores by itself lies between two calls, such as those of the clock and of the check for an
/// interrupt.
class MortalObserver final : public Observer {
 public:
  explicit MortalObserver(Steps& steps) : steps_(steps) {}
  void on_start(const RunSummary&, const std::string&) override { steps_.come_to("begun"); }
  void on_ask(int, const search::Ask&, const std::string&) override { steps_.come_to("asked"); }
  void on_attempt(const Attempt&, const Standing&) override { steps_.come_to("stored"); }
  void on_confirm(const Attempt&) override { steps_.come_to("confirming"); }

 private:
  Steps& steps_;
};

class MortalCarrier final : public evaluate::Carrier {
 public:
  MortalCarrier(evaluate::Carrier& inner, Steps& steps) : inner_(inner), steps_(steps) {}
  Result<DeviceFacts> open(const std::optional<DeviceFacts>& f) override { return inner_.open(f); }
  Result<> submit(EvaluationRequest request) override {
    purpose_ = request.measure.purpose;
    KW_TRY(inner_.submit(std::move(request)));
    steps_.come_to("submitted");
    return {};
  }
  Result<Evaluation> next() override {
    auto evaluation = KW_TRY(inner_.next());
    steps_.come_to(purpose_ == Purpose::Confirm ? "confirmed" : "judged");
    return evaluation;
  }

 private:
  evaluate::Carrier& inner_;
  Steps& steps_;
  Purpose purpose_ = Purpose::Search;
};

class MortalClock final : public platform::Clock {
 public:
  explicit MortalClock(Steps& steps) : steps_(steps) {}
  std::int64_t now_ns() const override {
    steps_.come_to("clock");
    return 0;
  }
  std::int64_t wall_seconds() const override { return 0; }
  void sleep_for(platform::Nanoseconds) override {}

 private:
  Steps& steps_;
};

/// A workspace on the real disk, opened anew by every process that works in it.
class KilledRun {
 public:
  explicit KilledRun(int outstanding) { config_.outstanding = outstanding; }

  /// Lets a process work until it is done or dies at step `fatal`; returns whether it died.
  bool is_killed_at(int fatal) {
    const pid_t child = ::fork();
    if (child == 0) {
      Steps steps(fatal);
      work(steps);
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

  /// Begins the run, or resumes it if the store holds it.
  void work(Steps& steps) {
    auto store = store::RunStore::open(dir_.path()).value();
    const SyntheticWorkbench workbench(landscape_of_killed());
    evaluate::SyntheticCarrier landscape(workbench.landscape());
    MortalCarrier carrier(landscape, steps);
    MortalObserver observer(steps);
    MortalClock clock(steps);
    const auto no_interrupt = [&steps] {
      steps.come_to("look");
      return false;
    };
    const Surroundings s{workbench, carrier, store, clock, observer, no_interrupt, 1, "synthetic"};
    const auto runs = store.list().value();
    const auto report = runs.empty() ? run(s, config_) : resume(s, runs.front());
    ASSERT_TRUE(report) << describe(report.error());
    steps.come_to("over");
    ASSERT_TRUE(store.update(report->run));
  }

  std::string decisions() const {
    return platform::read_file(dir_.path() / "runs" / "synthetic-1" / kDecisionLog).value();
  }
  std::vector<std::string> replayed() const {
    auto store = store::RunStore::open(dir_.path()).value();
    const SyntheticWorkbench workbench(landscape_of_killed());
    return replay(workbench, store, store.find("synthetic-1").value()).value();
  }
  /// What the store holds, without times.
  std::vector<std::string> held() const {
    auto store = store::RunStore::open(dir_.path()).value();
    std::vector<std::string> lines;
    const auto runs = store.list().value();
    for (const RunSummary& run : runs) {
      lines.push_back(run.name + " best " + std::to_string(run.best_attempt) +
                      (run.is_confirmed ? " confirmed" : ""));
      const auto add = [&](const AttemptLine& line) {
        lines.push_back(std::to_string(line.number) + " " + line.name + " " + line.words);
      };
      EXPECT_TRUE(store.attempts().for_each_line(run.id, add));
    }
    return lines;
  }

 private:
  static RunConfig config() {
    RunConfig config;
    config.task = "synthetic";
    config.max_attempts = kAttemptsOfAKilledRun;
    config.seed = 3;
    return config;
  }
  /// The folder is in memory if the machine has such a file system: syncing then costs nothing, and
  /// files in memory survive a killed process.
  static platform::TempDir make_dir() {
    auto dir = platform::TempDir::create("kw-killed", "/dev/shm");
    if (!dir) dir = platform::TempDir::create("kw-killed");
    return std::move(dir.value());
  }
  platform::TempDir dir_ = make_dir();
  RunConfig config_ = config();
};

/// The parameter is the number of asks in flight: one at a time, and several.
class KilledRunTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(InFlight, KilledRunTest, testing::Values(1, 3));

TEST_P(KilledRunTest, AtAnyStepItGoesOnToTheSameDecisions) {
  KilledRun undisturbed(GetParam());
  Steps steps;
  undisturbed.work(steps);
  for (const char* step : {"begun", "asked", "submitted", "judged", "stored", "confirming",
                           "confirmed", "look", "clock", "over"})
    ASSERT_THAT(steps.seen, Contains(Key(step)));
  ASSERT_EQ(steps.seen["stored"], kAttemptsOfAKilledRun);
  const std::string expected = undisturbed.decisions();
  for (int fatal = 1; fatal <= steps.taken; ++fatal) {
    SCOPED_TRACE(fatal);
    KilledRun killed(GetParam());
    ASSERT_TRUE(killed.is_killed_at(fatal));
    Steps rest;
    ASSERT_NO_FATAL_FAILURE(killed.work(rest));
    EXPECT_EQ(killed.decisions(), expected);
    EXPECT_EQ(join(killed.replayed(), "\n") + "\n", expected);
    EXPECT_EQ(killed.held(), undisturbed.held());
  }
}

}  // namespace
}  // namespace kw::engine
