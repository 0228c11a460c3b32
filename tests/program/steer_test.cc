// Tests of kw steer and kw explain: a run gets orders while it works, is killed, resumed and
// explained.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <thread>

#include "base/text.h"
#include "kw.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Arguments of a run that goes on until it is stopped, slowly enough to be steered on a slow
/// machine.
const Words kEndless{"optimize", "synthetic:7:100:5", "--strategy",
                     "random",   "--attempts",        "1000000"};

void wait_for_attempts(const Workspace& w, int attempts) {
  const auto is_there = [&] {
    const json run = w.run();
    return !run.is_null() && run["attempts"] >= attempts;
  };
  ASSERT_TRUE(wait_until(is_there)) << "the run made no attempts";
}

/// Sends one Ctrl-C, after which the run ends with a report.
Ran interrupt(platform::Process process) {
  EXPECT_TRUE(process.signal(SIGINT));
  Ran ran = ended(process.wait(kPatience));
  EXPECT_EQ(ran.code, 130) << ran.err;
  return ran;
}

void kill(platform::Process process) {
  process.kill_tree();
  ended(process.wait(kPatience));
}

json order(const Workspace& w, int number) {
  return w.kw({"steer", "synthetic-1", "--list", "--json"}).json()["orders"][number - 1];
}

int wait_for_effect(const Workspace& w, int number) {
  EXPECT_TRUE(wait_until([&] { return order(w, number)["from_attempt"] > 0; }));
  return order(w, number)["from_attempt"];
}

TEST(Steer, ARunKeepsToItsOrdersAndCanBeReplayed) {
  const Workspace w;
  platform::Process process = w.start(kEndless);
  wait_for_attempts(w, 3);
  const Ran given =
      w.kw({"steer", "synthetic-1", "--forbid", "odd", "--attempts", "2000000", "--json"});
  ASSERT_EQ(given.code, 0) << given.err;
  EXPECT_EQ(given.json()["orders"].size(), 2u);
  EXPECT_EQ(given.json()["orders"][0]["words"], "forbid odd");
  const int from = wait_for_effect(w, 1);
  ASSERT_GT(from, 3);
  wait_for_attempts(w, from + 20);
  const Ran ran = interrupt(std::move(process));
  EXPECT_THAT(ran.err, HasSubstr("forbid odd"));

  EXPECT_NE(order(w, 1)["who"], "");
  EXPECT_THAT(order(w, 1)["state"].get<std::string>(), HasSubstr("in force"));
  const json shown = w.kw({"show", "synthetic-1", "--json"}).json();
  EXPECT_GE(shown["attempts"].size(), static_cast<std::size_t>(from) + 20);
  EXPECT_EQ(shown["orders"].size(), 2u);
  for (const json& attempt : shown["attempts"])
    if (attempt["number"] >= from) {
      const std::string name = attempt["name"];
      EXPECT_EQ((name.back() - '0') % 2, 0) << name << " is odd";
    }
  EXPECT_THAT(w.read("runs/synthetic-1/decisions.log"),
              HasSubstr("\n" + std::to_string(from) + " order 1 forbid odd\n"));
  EXPECT_EQ(w.kw({"replay", "synthetic-1"}).code, 0);
  EXPECT_THAT(w.kw({"show", "synthetic-1"}).out, HasSubstr("order 1: forbid odd"));
}

TEST(Steer, KilledAfterAnOrderTheRunGoesOnUnderIt) {
  const Workspace w;
  platform::Process process = w.start(kEndless);
  wait_for_attempts(w, 3);
  ASSERT_EQ(w.kw({"steer", "synthetic-1", "--require", "odd"}).code, 0);
  const int from = wait_for_effect(w, 1);
  ASSERT_GT(from, 3);
  kill(std::move(process));
  EXPECT_EQ(w.run()["state"], "stopped");
  // A second order is given while no process works on the run.
  const Ran late = w.kw({"steer", "synthetic-1", "--lift", "1"});
  EXPECT_EQ(late.code, 0) << late.err;
  EXPECT_THAT(late.out, HasSubstr("kw resume synthetic-1"));
  const int stored = w.run()["attempts"];
  platform::Process resumed = w.start({"resume", "synthetic-1", "--json"});
  wait_for_attempts(w, stored + 20);
  interrupt(std::move(resumed));
  EXPECT_EQ(order(w, 1)["from_attempt"], from) << "where it had taken effect";
  EXPECT_EQ(order(w, 2)["from_attempt"], stored + 1);
  EXPECT_EQ(w.kw({"replay", "synthetic-1"}).code, 0);
}

TEST(Steer, ARunIsToldToFinishFromAnotherProcess) {
  const Workspace w;
  platform::Process process = w.start(kEndless);
  wait_for_attempts(w, 3);
  const Ran going = w.kw({"show", "synthetic-1"});
  EXPECT_THAT(going.out, AllOf(HasSubstr("synthetic-1: running"), HasSubstr("goes on in another"),
                               HasSubstr("kw steer synthetic-1 --finish")));
  EXPECT_THAT(going.out, Not(HasSubstr("kw resume")));
  EXPECT_THAT(w.refusal({"steer", "synthetic-1"}, {"--finish", "--forbid", "odd"}),
              HasSubstr("cannot be combined with other orders"));
  const Ran given = w.kw({"steer", "synthetic-1", "--finish"});
  ASSERT_EQ(given.code, 0) << given.err;
  EXPECT_THAT(given.out, HasSubstr("then the best is confirmed"));
  const Ran ran = ended(process.wait(kPatience));
  EXPECT_THAT(ran.code, testing::AnyOf(0, 1)) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("to finish"));
  const json run = w.run();
  EXPECT_EQ(run["state"], "finished");
  EXPECT_NE(w.kw({"show", "synthetic-1", "--json"}).json()["confirmation"], nullptr);
  EXPECT_THAT(order(w, 1)["state"].get<std::string>(), HasSubstr("ended the search before"));
  EXPECT_EQ(w.kw({"replay", "synthetic-1"}).code, 0);
  EXPECT_THAT(w.kw({"show", "synthetic-1"}).out, Not(HasSubstr("goes on in another")));
}

TEST(Steer, WhatMeansNothingIsRefusedWithAReason) {
  const Workspace w;
  ASSERT_EQ(w.kw({"optimize", "synthetic:7", "--attempts", "12"}).code, 0);
  const auto refusal = [&](const Words& more) { return w.refusal({"steer", "synthetic-1"}, more); };
  EXPECT_THAT(refusal({"--attempts", "99"}), HasSubstr("the run has ended (attempts: 12 of 12"));
  EXPECT_THAT(refusal({}), HasSubstr("--list"));
  EXPECT_EQ(w.kw({"steer", "synthetic-1", "--list"}).code, 0);
  EXPECT_THAT(w.kw({"steer", "synthetic-2", "--list"}).err, HasSubstr("did you mean"));
}

TEST(Steer, OfARunThatWasInterruptedIsCheckedAgainstIt) {
  const Workspace w;
  platform::Process process = w.start(kEndless);
  wait_for_attempts(w, 2);
  kill(std::move(process));
  const auto refusal = [&](const Words& more) { return w.refusal({"steer", "synthetic-1"}, more); };
  EXPECT_THAT(refusal({"--hint", "try blocks"}), HasSubstr("no model writes in this run"));
  EXPECT_THAT(refusal({"--forbid", "od"}), HasSubstr("did you mean 'odd'?"));
  EXPECT_THAT(refusal({"--pin", "1"}), HasSubstr("derives nothing"));
  EXPECT_THAT(refusal({"--attempts", "5"}), HasSubstr("can only be raised"));
  EXPECT_THAT(refusal({"--time", "5m"}), HasSubstr("no bound on"));
  EXPECT_THAT(refusal({"--forbid", "odd", "--require", "odd"}), HasSubstr("no idea to try"));
  EXPECT_THAT(w.kw({"steer", "synthetic-1", "--list"}).out, HasSubstr("no orders"))
      << "all or nothing";
}

TEST(Steer, KilledAtAnyMomentGivesAllItsOrdersOrNone) {
  const Workspace w(Whose::Suite);
  platform::Process process = w.start(kEndless);
  wait_for_attempts(w, 2);
  kill(std::move(process));
  const Words steer{"steer",     "synthetic-1", "--forbid",   "odd",
                    "--require", "even",        "--attempts", "2000000"};
  std::size_t given = 0;
  int kills = 0;
  for (auto delay = std::chrono::microseconds(500); given == 0; delay += delay / 4) {
    ASSERT_LT(delay, kPatience);
    platform::Process giving = w.start(steer);
    std::this_thread::sleep_for(delay);
    giving.kill_tree();
    ended(giving.wait(kPatience));
    ++kills;
    given = w.kw({"steer", "synthetic-1", "--list", "--json"}).json()["orders"].size();
    ASSERT_TRUE(given == 0 || given == 3) << given << " of 3 after " << kills << " kills";
  }
  EXPECT_GT(kills, 1) << "none came in time";
}

TEST(Steer, ARunInterruptedWhileItIsSteeredKeepsItsOrders) {
  // Ctrl-C is sent at eight moments, before, during and after the order.
  for (int i = 0; i < 8; ++i) {
    const auto delay = std::chrono::milliseconds(4 * i);
    SCOPED_TRACE(delay.count());
    const Workspace w(Whose::Suite);
    platform::Process process = w.start(kEndless);
    wait_for_attempts(w, 2);
    platform::Process giving = w.start(
        {"steer", "synthetic-1", "--forbid", "odd", "--require", "even", "--attempts", "2000000"});
    std::this_thread::sleep_for(delay);
    interrupt(std::move(process));
    const Ran gave = ended(giving.wait(kPatience));
    const json orders = w.kw({"steer", "synthetic-1", "--list", "--json"}).json()["orders"];
    EXPECT_EQ(gave.code, 0) << gave.err;
    EXPECT_EQ(orders.size(), 3u);
    const json run = w.run();
    EXPECT_EQ(run["state"], "interrupted");
    EXPECT_EQ(w.kw({"show", "synthetic-1", "--json"}).json()["attempts"].size(), run["attempts"]);
    EXPECT_EQ(w.kw({"replay", "synthetic-1"}).code, 0);
    platform::Process resumed = w.start({"resume", "synthetic-1"});
    wait_for_attempts(w, static_cast<int>(run["attempts"]) + 3);
    interrupt(std::move(resumed));
    if (gave.code == 0) {
      for (int number = 1; number <= 3; ++number) EXPECT_GT(order(w, number)["from_attempt"], 0);
    }
    EXPECT_EQ(w.kw({"replay", "synthetic-1"}).code, 0);
  }
}

TEST(Explain, TellsTheLifeOfAnAttempt) {
  const Workspace w;
  ASSERT_EQ(w.kw({"optimize", "synthetic:7", "--attempts", "30"}).code, 0);
  const json shown = w.kw({"show", "synthetic-1", "--json"}).json();
  const int best = shown["run"]["best_attempt"];
  const Ran page = w.kw({"explain", "synthetic-1", std::to_string(best)});
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_THAT(page.out,
              AllOf(HasSubstr("Who proposed it, and why"), HasSubstr("Strategy greedy asked"),
                    HasSubstr("What each stage said"), HasSubstr("What was measured"),
                    HasSubstr("In pairs against"), HasSubstr("Confirmed afterwards"),
                    HasSubstr("This attempt is the best of the run"), HasSubstr("What it cost")));
  const json life = w.kw({"explain", "synthetic-1", std::to_string(best), "--json"}).json();
  EXPECT_EQ(life["attempt"], best);
  EXPECT_EQ(life["is_best"], true);
  EXPECT_TRUE(life["evaluation"]["verdict"].is_object());
  for (const json& attempt : shown["attempts"])
    if (attempt["parent"] != 0) {
      const int number = attempt["number"];
      const Ran child = w.kw({"explain", "synthetic-1", std::to_string(number)});
      EXPECT_THAT(child.out, AllOf(HasSubstr("a setting of the knobs"), HasSubstr("knobs: K"),
                                   Not(HasSubstr("models:"))));
      break;
    }
  EXPECT_EQ(w.kw({"explain", "synthetic-1", "31"}).code, 2);
  EXPECT_EQ(w.kw({"explain", "synthetic-1", "x"}).code, 2);
}

}  // namespace
}  // namespace kw::program
