// Tests of runs that are killed, interrupted and resumed.
// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include "kw.h"

namespace kw::program {
namespace {

using testing::HasSubstr;

const Words kRun{"optimize", "synthetic:7", "--attempts", "60"};
constexpr int kTrials = 12;

/// Kills the program after a random part of `span`; returns true if the program had already ended.
bool kill_somewhere(platform::Process process, std::chrono::nanoseconds span,
                    std::mt19937& random) {
  std::uniform_int_distribution<std::int64_t> delay(0, span.count());
  std::this_thread::sleep_for(std::chrono::nanoseconds(delay(random)));
  process.kill_tree();
  return ended(process.wait(kPatience)).signal != SIGKILL;
}

TEST(Kill, AnywhereThenResumeDecidesTheSame) {
  const Workspace undisturbed(Whose::Suite);
  const auto started = std::chrono::steady_clock::now();
  ASSERT_EQ(undisturbed.kw(kRun).code, 0);
  auto span = std::chrono::steady_clock::now() - started;
  const std::string expected = undisturbed.read("runs/synthetic-1/decisions.log");
  ASSERT_NE(expected, "");
  const auto attempts = undisturbed.kw({"runs", "--json"}).json()["runs"][0]["attempts"];

  const unsigned seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  int killed_inside = 0;
  // A run may end before it is killed if the machine has become less loaded, so there may be more
  // trials.
  for (int trial = 0; trial < kTrials || (killed_inside == 0 && trial < 4 * kTrials); ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial));
    const Workspace w(Whose::Suite);
    bool is_over = kill_somewhere(w.start(kRun), span, random);
    while (!is_over && w.kw({"runs", "--json"}).json()["runs"].empty())
      is_over = kill_somewhere(w.start(kRun), span, random);
    if (is_over) span -= span / 4;
    for (int again = 0; !is_over && again < 2; ++again) {
      ++killed_inside;
      is_over = kill_somewhere(w.start({"resume", "synthetic-1"}), span, random);
    }
    if (!is_over) {
      const Ran ran = w.kw({"resume", "synthetic-1"});
      // A run that stored its end before it was killed is finished and cannot be resumed.
      if (ran.code != 0) {
        EXPECT_THAT(ran.err, HasSubstr("this run is finished"));
      }
    }
    EXPECT_EQ(w.read("runs/synthetic-1/decisions.log"), expected);
    EXPECT_EQ(w.kw({"replay", "synthetic-1"}).code, 0);
    EXPECT_EQ(w.kw({"runs", "--json"}).json()["runs"][0]["attempts"], attempts);
  }
  EXPECT_GT(killed_inside, 0) << "no kill hit a run";
}

/// A file of a run's folder, at whose writing the kill hits the run.
struct Begun {
  const char* file;
  const char* before;  ///< The file that is complete just before `file` is begun.
};

/// Leaves a run that has created its folder and was killed long before its end.
void leave_begun_run(const Workspace& w, const Words& run) {
  platform::Process process = w.start(run);
  ASSERT_TRUE(wait_until([&] { return !w.read("runs/synthetic-1/lock").empty(); }));
  process.kill_tree();
  ASSERT_EQ(ended(process.wait(kPatience)).signal, SIGKILL);
}

TEST(Kill, InTheMiddleOfTheFolderThenResumeWritesIt) {
  // The run takes at least a third of a second, so that it is killed before its end.
  const Words run{"optimize", "synthetic:7:100:15", "--attempts", "60"};
  const Workspace undisturbed;
  ASSERT_NE(undisturbed.kw(run).code, 2);
  const std::string folder = "runs/synthetic-1/";
  const auto names = platform::list_dir(undisturbed.path() / folder).value();
  const auto kept = platform::list_dir(undisturbed.path() / folder / "best").value();
  for (const Begun& begun : {Begun{"decisions.log", "lock"}, Begun{"progress.svg", "roofline.svg"},
                             Begun{"results.csv", "progress.svg"}}) {
    SCOPED_TRACE(begun.file);
    const Workspace w;
    const std::string part = folder + begun.file + ".part";
    leave_begun_run(w, run);
    // The file is replaced by a named pipe without a reader: opening it blocks, so the kill hits
    // the process there.
    std::filesystem::remove(w.path() / part);
    ASSERT_EQ(::mkfifo((w.path() / part).c_str(), 0600), 0);
    w.write(folder + "lock", "");
    platform::Process process = w.start({"resume", "synthetic-1"});
    ASSERT_TRUE(wait_until([&] { return !w.read(folder + begun.before).empty(); }));
    process.kill_tree();
    ASSERT_EQ(ended(process.wait(kPatience)).signal, SIGKILL);
    EXPECT_EQ(w.run()["state"], "stopped");
    std::filesystem::remove(w.path() / part);
    w.write(part, "half a line");
    EXPECT_NE(w.kw({"resume", "synthetic-1"}).code, 2);
    EXPECT_EQ(w.read(folder + "decisions.log"), undisturbed.read(folder + "decisions.log"));
    EXPECT_EQ(platform::list_dir(w.path() / folder).value(), names) << "and no half file is left";
    EXPECT_EQ(platform::list_dir(w.path() / folder / "best").value(), kept);
    EXPECT_EQ(w.run()["state"], "finished");
  }
}

/// Starts a run that only a signal ends, and waits until it has begun.
platform::Process start_endless_run(const Workspace& w) {
  platform::Process process =
      w.start({"optimize", "synthetic:7:100:5", "--strategy", "random", "--attempts", "1000000"});
  EXPECT_TRUE(wait_until([&] { return !w.read("runs/synthetic-1/lock").empty(); }));
  return process;
}

TEST(Interrupt, OnceFinishesTheAttemptAndReports) {
  const Workspace w;
  platform::Process process = start_endless_run(w);
  ASSERT_TRUE(process.signal(SIGINT));
  const Ran ran = ended(process.wait(kPatience));
  EXPECT_EQ(ran.code, 130) << ran.err;
  EXPECT_EQ(w.run()["state"], "interrupted");
  EXPECT_NE(w.read("runs/synthetic-1/decisions.log"), "");
  EXPECT_EQ(w.kw({"replay", "synthetic-1"}).code, 0);
}

TEST(Interrupt, DuringTheConfirmationEndsItSoon) {
  const Workspace w(Whose::Suite);
  write_known_task(w);
  w.write("twice/candidates/001_right.cpp", kFasterKernel);
  platform::Process process =
      w.start_audible({"optimize", "twice", "--attempts", "1", "--baseline", "reference"}, "said");
  ASSERT_TRUE(wait_until([&] {
    return w.read("said").find("confirming attempt") != std::string::npos || !process.is_running();
  }));
  (void)process.signal(SIGINT);
  const Ran ran = ended(process.wait(kPatience));
  if (lacks_jail({ran.code, 0, "", w.read("said")})) GTEST_SKIP() << w.read("said");
  EXPECT_EQ(ran.code, 130) << w.read("said");
  EXPECT_THAT(w.read("said"), HasSubstr("interrupted: the confirmation of attempt"));
  EXPECT_THAT(w.read("said"), HasSubstr("kw resume twice-1 begins it again"));
  EXPECT_EQ(w.run()["is_confirmed"], false);
  EXPECT_EQ(w.run()["state"], "interrupted");
}

}  // namespace
}  // namespace kw::program
