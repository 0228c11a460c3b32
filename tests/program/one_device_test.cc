// Tests of programs that need the same device at once, and of Ctrl-C while a kernel is being
// judged.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "kw.h"
#include "platform/locks.h"

namespace kw::program {
namespace {

using testing::AnyOf;

/// Base of tests that have a workspace with a task and a kernel of it.
class OneDevice : public testing::Test {
 protected:
  void SetUp() override {
    write_known_task(w_);
    w_.write("right.cpp",
             "void twice(int n, const float* x, float* y) {\n"
             "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n"
             "}\n");
    // The kernel has so many knob values that the run does not end within a test.
    std::string endless = "// kw: tune A = 1";
    for (int i = 2; i <= 64; ++i) endless += ", " + std::to_string(i);
    w_.write("twice/candidates/001_right.cpp",
             endless +
                 "\nvoid twice(int n, const float* x, float* y) {\n"
                 "  static const volatile int kept = A;\n"
                 "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + 0 * kept;\n"
                 "}\n");
    const Ran first = w_.kw(kCheck);
    if (lacks_jail(first)) GTEST_SKIP() << first.err;
    expect_correct(first);
    device_ = first.json()["device"];
  }

  static void expect_correct(const Ran& ran) {
    // The kernel equals the reference, so on a busy machine the verdict may stay open.
    EXPECT_THAT(ran.code, AnyOf(0, 1)) << ran.err;
    EXPECT_THAT(ran.json()["verdict"]["outcome"], AnyOf("correct", "unmeasurable")) << ran.out;
  }

  platform::Lease hold() const {
    return std::move(
        platform::Lease::acquire(device_, platform::LeaseMode::Exclusive, "a test").value());
  }

  /// Waits until a process writes to `err` that it waits for the device's lease, which this test
  /// holds.
  void wait_for_waiting() const {
    const std::string words = "kw: waiting: cpu is in use by a test\n";
    EXPECT_TRUE(wait_until([&] { return w_.read("err").find(words) != std::string::npos; }))
        << w_.read("err");
  }

  const Words kCheck{"judge", "right.cpp", "--task", "twice", "--until", "check", "--json"};
  const Words kMeasure{"judge",  "right.cpp",  "--task",   "twice",
                       "--json", "--baseline", "reference"};
  Workspace w_{Whose::Suite};
  std::string device_;
};

TEST_F(OneDevice, TwoMeasureOneAfterTheOther) {
  std::vector<platform::Process> both;
  for (int i = 0; i < 2; ++i) both.push_back(w_.start(kMeasure));
  for (platform::Process& process : both) expect_correct(ended(process.wait(kPatience)));
}

TEST_F(OneDevice, WhoWaitsForTheDeviceSaysSo) {
  std::optional<platform::Lease> held(hold());
  platform::Process process = w_.start_audible(kCheck, "err");
  wait_for_waiting();
  EXPECT_TRUE(process.is_running());
  held.reset();
  expect_correct(ended(process.wait(kPatience)));
}

TEST_F(OneDevice, AJudgementThatIsInterruptedSaysSo) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const platform::Lease held = hold();
    platform::Process process = w_.start_audible(kCheck, "err");
    wait_for_waiting();
    ASSERT_TRUE(process.signal(signal));
    const Ran ran = ended(process.wait(kPatience));
    EXPECT_EQ(ran.code, 130) << w_.read("err");
    EXPECT_EQ(ran.json()["error"]["exit_code"], 130);
    EXPECT_EQ(ran.json()["error"]["what"], "interrupted");
    w_.write("err", "");
  }
}

TEST_F(OneDevice, ASweepThatIsInterruptedKeepsItsPoints) {
  platform::Process process = w_.start_audible({"sweep", "twice", "--dim", "n=400000..600000:1000",
                                                "--kernel", "right.cpp", "--baseline", "reference"},
                                               "err");
  ASSERT_TRUE(wait_until([&] {
    return w_.read("err").find("n=400000") != std::string::npos || !process.is_running();
  }));
  ASSERT_TRUE(process.signal(SIGINT)) << w_.read("err");
  const Ran ran = ended(process.wait(kPatience));
  EXPECT_EQ(ran.code, 130) << w_.read("err");
  EXPECT_THAT(w_.read("err"),
              testing::AllOf(testing::HasSubstr("right (right.cpp) against reference on "),
                             testing::HasSubstr(" samples\n")));
  EXPECT_THAT(ran.out, testing::HasSubstr("twice-n-1.csv"));
  EXPECT_THAT(w_.read("runs/sweeps/twice-n-1.csv"), testing::HasSubstr("\n400000,"));
  EXPECT_THAT(w_.read("runs/sweeps/twice-n-1.svg"), testing::StartsWith("<svg"));
}

/// Base of tests with a run whose first attempt waits for the device.
class Interrupted : public OneDevice {
 protected:
  void SetUp() override {
    OneDevice::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    process_.emplace(w_.start_audible(
        {"optimize", "twice", "--attempts", "1000", "--baseline", "reference", "--json"}, "err"));
    // The run measures its baseline first. The workspace must not know that time from earlier, so
    // that the run needs the device.
    ASSERT_TRUE(wait_until([&] { return !w_.read("runs/twice-1/lock").empty(); }))
        << w_.read("err");
    held_.emplace(hold());
    wait_for_waiting();
  }

  std::optional<platform::Process> process_;
  std::optional<platform::Lease> held_;
};

TEST_F(OneDevice, WaitingForTheDeviceIsNoTimeOfARun) {
  const auto began = std::chrono::steady_clock::now();
  platform::Process process = w_.start_audible(
      {"optimize", "twice", "--attempts", "1", "--baseline", "reference", "--json"}, "err");
  // The baseline is measured before the run's time starts to count.
  ASSERT_TRUE(wait_until([&] { return !w_.read("runs/twice-1/lock").empty(); })) << w_.read("err");
  std::optional<platform::Lease> held(hold());
  wait_for_waiting();
  constexpr std::chrono::seconds kHeld{2};
  std::this_thread::sleep_for(kHeld);
  held.reset();
  const Ran ran = ended(process.wait(kPatience));
  ASSERT_THAT(ran.code, AnyOf(0, 1)) << w_.read("err");
  const std::chrono::nanoseconds whole = std::chrono::steady_clock::now() - began;
  EXPECT_LT(ran.json()["spent"]["time_ns"].get<double>(),
            static_cast<double>((whole - kHeld).count()));
}

TEST_F(OneDevice, WhoHasTheDeviceIsNamedByItsCommand) {
  platform::Process first =
      w_.start_audible({"soak", "right.cpp", "--task", "twice", "--time", "60s"}, "first");
  ASSERT_TRUE(wait_until([&] {
    const auto taken = platform::Lease::acquire(device_, platform::LeaseMode::Exclusive, "a test",
                                                platform::Nanoseconds::zero());
    return !taken && taken.error().code == ErrorCode::Busy &&
           taken.error().about.find("kw soak right.cpp, checking right") != std::string::npos;
  })) << w_.read("first");
  ASSERT_TRUE(first.signal(SIGINT));
  EXPECT_EQ(ended(first.wait(kPatience)).code, 130) << w_.read("first");
}

TEST_F(Interrupted, OnceItFinishesTheAttemptAndReports) {
  ASSERT_TRUE(process_->signal(SIGINT));
  // After this wait, a run that does not wait for its attempt would have ended.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_TRUE(process_->is_running()) << "an attempt was in flight";
  held_.reset();
  const Ran ran = ended(process_->wait(kPatience));
  EXPECT_EQ(ran.code, 130) << w_.read("err");
  const auto run = w_.run();
  EXPECT_EQ(run["state"], "interrupted");
  EXPECT_GE(run["attempts"], 1);
  EXPECT_EQ(ran.json()["attempts"], run["attempts"]);
}

TEST_F(Interrupted, TwiceItStopsAtOnceAndCanBeResumed) {
  EXPECT_EQ(w_.run()["state"], "running");
  ASSERT_TRUE(process_->signal(SIGINT));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ASSERT_TRUE(process_->is_running());
  EXPECT_THAT(w_.read("err"), testing::HasSubstr("interrupted: finishing attempt 1; Ctrl-C again"));
  // The test keeps holding the lease, so the run can end only by stopping at once.
  ASSERT_TRUE(process_->signal(SIGINT));
  const Ran ran = ended(process_->wait(kPatience));
  EXPECT_EQ(ran.code, 130);
  EXPECT_EQ(ran.json()["error"]["what"], "interrupted");
  EXPECT_THAT(w_.read("err"), testing::HasSubstr("go on with: kw resume twice-1"));
  const auto run = w_.run();
  EXPECT_EQ(run["name"], "twice-1");
  EXPECT_EQ(run["state"], "interrupted");
  held_.reset();
  platform::Process resumed = w_.start_audible({"resume", "twice-1"}, "resumed");
  EXPECT_TRUE(wait_until([&] { return w_.run()["attempts"] > run["attempts"]; }))
      << w_.read("resumed");
}

}  // namespace
}  // namespace kw::program
