// The live view of a run: one line that rewrites itself on a terminal, plain lines elsewhere; and
// Ctrl-C as a key.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>

#include "base/text.h"
#include "terminal.h"

namespace kw::program {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const char* const kEscape = "\033";
const Words kXterm{"TERM=xterm"};
const Words kSixAttempts{"optimize", "synthetic:7", "--attempts", "6"};

std::size_t columns_of(const std::string& line) {
  return position_of(line, line.size()).column - 1;
}

TEST(LiveView, OnATerminalOneLineRewritesItselfAndTheTableIsPlain) {
  const Workspace w;
  Terminal terminal(w, kSixAttempts, 80, kXterm);
  const Ran ran = terminal.end();
  ASSERT_EQ(ran.code, 0) << ran.out;
  const Words passing = passing_lines(ran.out);
  EXPECT_EQ(passing.size(), 6u) << ran.out;
  EXPECT_THAT(passing, testing::Each(HasSubstr(" …")));
  const std::string last = ran.out.substr(ran.out.rfind("\r\033[K") + 4);
  EXPECT_THAT(last, AllOf(HasSubstr("\r\nCONFIRMED attempt"), HasSubstr("6 attempts in"),
                          Not(HasSubstr(kEscape))));
}

TEST(LiveView, WhatPassesFitsIntoTheTerminal) {
  const Workspace w;
  constexpr int kColumns = 12;
  Terminal terminal(w, kSixAttempts, kColumns, kXterm);
  const Ran ran = terminal.end();
  ASSERT_EQ(ran.code, 0) << ran.out;
  const Words passing = passing_lines(ran.out);
  EXPECT_EQ(passing.size(), 6u) << ran.out;
  for (const std::string& line : passing) EXPECT_EQ(columns_of(line), kColumns - 1u) << line;
  EXPECT_THAT(ran.out, HasSubstr("CONFIRMED attempt")) << "what stays is not cut";
}

/// What a pipe gets, but for the times in it.
Words without_times(const std::string& text) {
  Words lines;
  for (const std::string_view line : split_lines(text))
    lines.emplace_back(line.substr(0, line.find(" s  ")).substr(0, 4));
  return lines;
}

TEST(LiveView, APipeAndATerminalWithoutCursorGetPlainLines) {
  const Workspace piped;
  const Ran plain = piped.kw(kSixAttempts, kXterm);
  ASSERT_EQ(plain.code, 0) << plain.err;
  EXPECT_THAT(plain.err + plain.out, AllOf(Not(HasSubstr(kEscape)), Not(HasSubstr("\r"))));
  for (const Words& env : {Words{"TERM=dumb"}, Words{}}) {
    const Workspace w;
    Terminal terminal(w, kSixAttempts, 80, env);
    const Ran ran = terminal.end();
    EXPECT_EQ(ran.code, 0);
    EXPECT_THAT(ran.out, Not(HasSubstr(kEscape)));
    EXPECT_EQ(without_times(ran.out), without_times(plain.err + plain.out));
  }
}

TEST(LiveView, OneCtrlCFinishesTheAttemptAndReports) {
  const Workspace w;
  Terminal terminal(w, {"optimize", "synthetic:7:100:200", "--strategy", "random"}, 80, kXterm);
  ASSERT_TRUE(terminal.wait_for("   2 idea"));
  terminal.type_interrupt();
  const Ran ran = terminal.end();
  EXPECT_EQ(ran.code, 130) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("stopped by: interrupt"));
  const nlohmann::json run = w.run();
  EXPECT_EQ(run["state"], "interrupted");
  EXPECT_GE(run["attempts"], 2) << "the second was in flight";
}

TEST(LiveView, ASecondCtrlCStopsAtOnce) {
  const Workspace w;
  // A judgement takes far longer than it takes to type.
  Terminal terminal(w, {"optimize", "synthetic:7:100:3000", "--strategy", "random"}, 80, kXterm);
  ASSERT_TRUE(terminal.wait_for("   1 idea"));
  terminal.type_interrupt();
  // Two that come at once may arrive as one.
  while (!terminal.ends_within(std::chrono::milliseconds(200))) terminal.type_interrupt();
  const Ran ran = terminal.end();
  EXPECT_EQ(ran.signal, SIGINT) << ran.out;
  EXPECT_EQ(w.run()["state"], "stopped");
}

}  // namespace
}  // namespace kw::program
