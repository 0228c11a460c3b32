// Programs that want the same device at once, and Ctrl-C while a kernel is being judged.
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <optional>
#include <thread>

#include "kw.h"
#include "platform/locks.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;

constexpr std::chrono::minutes kPatience{3};

/// A workspace with a task and a kernel of it.
class OneDevice : public testing::Test {
 protected:
  void SetUp() override {
    write_easy_task(w_, "twice");
    w_.write("right.cpp",
             "void twice(int n, const float* x, float* y) {\n"
             "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n"
             "}\n");
    w_.write("twice/candidates/001_right.cpp", w_.read("right.cpp"));
    const Ran first = w_.kw(kCheck);
    if (lacks_jail(first)) GTEST_SKIP() << first.err;
    expect_correct(first);
    device_ = first.json()["device"];
  }

  static void expect_correct(const Ran& ran) {
    // Equal kernels may stay undecided on a busy machine; that is no fault of either.
    EXPECT_THAT(ran.code, AnyOf(0, 1)) << ran.err;
    EXPECT_THAT(ran.json()["verdict"]["outcome"], AnyOf("correct", "unmeasurable")) << ran.out;
  }

  platform::Lease hold() const {
    return std::move(
        platform::Lease::acquire(device_, platform::LeaseMode::Exclusive, "a test").value());
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
  platform::Process process = w_.start(kCheck);
  std::this_thread::sleep_for(std::chrono::seconds(4));
  EXPECT_TRUE(process.is_running());
  held.reset();
  const Ran ran = ended(process.wait(kPatience));
  expect_correct(ran);
  EXPECT_THAT(ran.err, HasSubstr("kw: waiting: device " + device_ + " is in use"));
  EXPECT_THAT(ran.err, HasSubstr("a test"));
}

/// Starts a run and waits until it stands in the store: its first attempt then waits for the lease.
platform::Process start_run(const Workspace& w) {
  platform::Process process =
      w.start({"optimize", "twice", "--attempts", "2", "--baseline", "reference", "--json"});
  for (int i = 0; i < 3000 && w.read("runs/twice-1/lock").empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_NE(w.read("runs/twice-1/lock"), "");
  // From there to the attempt that waits for the device nothing shows from outside.
  std::this_thread::sleep_for(std::chrono::seconds(2));
  return process;
}

TEST_F(OneDevice, CtrlCFinishesTheAttemptAndReports) {
  expect_correct(w_.kw(kMeasure));  // times the baselines
  std::optional<platform::Lease> held(hold());
  platform::Process process = start_run(w_);
  ASSERT_TRUE(process.signal(SIGINT));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_TRUE(process.is_running()) << "an attempt was in flight";
  held.reset();
  const Ran ran = ended(process.wait(kPatience));
  EXPECT_EQ(ran.code, 130) << ran.err;
  EXPECT_EQ(ran.json()["attempts"], 1);
  const json run = w_.kw({"runs", "--json"}).json()["runs"][0];
  EXPECT_EQ(run["state"], "interrupted");
}

TEST_F(OneDevice, TheSecondCtrlCStopsAtOnce) {
  expect_correct(w_.kw(kMeasure));  // times the baselines
  std::optional<platform::Lease> held(hold());
  platform::Process process = start_run(w_);
  ASSERT_TRUE(process.signal(SIGINT));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ASSERT_TRUE(process.is_running());
  ASSERT_TRUE(process.signal(SIGINT));
  // The lease is still held: only a stop at once can end it.
  const auto exit = process.wait(std::chrono::seconds(30));
  ASSERT_TRUE(exit);
  EXPECT_FALSE(exit->timed_out);
  EXPECT_EQ(exit->signal, SIGINT);
  const json run = w_.kw({"runs", "--json"}).json()["runs"][0];
  EXPECT_EQ(run["name"], "twice-1");
  EXPECT_EQ(run["state"], "running") << "it can be resumed";
}

}  // namespace
}  // namespace kw::program
