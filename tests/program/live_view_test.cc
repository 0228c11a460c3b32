// Tests of the live view of a run: a line at the bottom of a terminal, or plain lines elsewhere;
// and Ctrl-C as a key.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/terminal_text.h"
#include "base/text.h"
#include "terminal.h"

namespace kw::program {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

const char* const kEscape = "\033";
const Words kXterm{"TERM=xterm", "LC_ALL=C.UTF-8"};
/// Each judgement takes so long that the line at the bottom shows it.
const Words kTwoAttempts{"optimize", "synthetic:7:100:700", "--attempts",
                         "2",        "--strategy",          "random"};

/// The lines that stay on a terminal, without colours.
Words staying_lines(const std::string& written) {
  Words lines;
  for (const std::string_view line : split_lines(written)) {
    std::string shown(
        line.substr(line.rfind("\033[K") == std::string_view::npos ? 0 : line.rfind("\033[K") + 3));
    for (std::size_t at = 0; (at = shown.find(kEscape, at)) != std::string::npos;)
      shown.erase(at, shown.find('m', at) - at + 1);
    lines.push_back(shown);
  }
  return lines;
}

std::string without_colours(const std::string& line) { return staying_lines(line).front(); }

TEST(LiveView, TheLineAtTheBottomSaysWhatIsDoneAndTheTableIsPlain) {
  const Workspace w;
  Terminal terminal(w, kTwoAttempts, 80, kXterm);
  const Ran ran = terminal.end();
  ASSERT_EQ(ran.code, 0) << ran.out;
  const Words passing = passing_lines(ran.out);
  ASSERT_GE(passing.size(), 2u) << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("of 2: "), HasSubstr("confirming: ")));
  EXPECT_THAT(ran.out, HasSubstr("\033[32mnew best")) << "colour";
  const std::string table = ran.out.substr(ran.out.find("CONFIRMED attempt"));
  EXPECT_THAT(table, AllOf(HasSubstr("2 attempts in"), HasSubstr("kw report synthetic"),
                           Not(HasSubstr(kEscape))));
}

TEST(LiveView, EverythingFitsIntoTheTerminal) {
  for (const int columns : {80, 40}) {
    const Workspace w;
    Terminal terminal(w, kTwoAttempts, columns, kXterm);
    const Ran ran = terminal.end();
    ASSERT_EQ(ran.code, 0) << ran.out;
    for (const std::string& line : passing_lines(ran.out))
      EXPECT_LT(columns_of(without_colours(line)), static_cast<std::size_t>(columns)) << line;
    for (const std::string& line : staying_lines(ran.out))
      EXPECT_LT(columns_of(line), static_cast<std::size_t>(columns)) << line;
  }
}

TEST(LiveView, AVerdictFitsIntoTheTerminal) {
  const Workspace w(Whose::Suite);
  write_good_task(w, "twice");
  w.write("right.cpp", kFasterKernel);
  const int columns = 40;
  Terminal terminal(w, {"judge", "right.cpp", "--task", "twice", "--until", "check"}, columns,
                    kXterm);
  const Ran ran = terminal.end();
  if (ran.out.find("no jail works here") != std::string::npos) GTEST_SKIP() << ran.out;
  ASSERT_EQ(ran.code, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("trust class"));
  for (const std::string& line : staying_lines(ran.out))
    EXPECT_LT(columns_of(line), static_cast<std::size_t>(columns)) << line;
}

TEST(LiveView, NoColourIsNoColour) {
  const Workspace w;
  Words env = kXterm;
  env.emplace_back("NO_COLOR=1");
  Terminal terminal(w, kTwoAttempts, 80, env);
  const Ran ran = terminal.end();
  EXPECT_THAT(ran.out, AllOf(HasSubstr("new best"), HasSubstr("\r\033[K"), Not(HasSubstr("\033[3")),
                             Not(HasSubstr("\033[m"))));
}

TEST(LiveView, APipeAndATerminalWithoutCursorGetPlainLines) {
  const Workspace piped;
  const Ran plain = piped.kw(kTwoAttempts, kXterm);
  ASSERT_EQ(plain.code, 0) << plain.err;
  EXPECT_THAT(plain.err + plain.out, AllOf(Not(HasSubstr(kEscape)), Not(HasSubstr("\r"))));
  EXPECT_THAT(plain.err, HasSubstr("x the best baseline, ")) << "all there is, however wide";
  for (const Words& env : {Words{"TERM=dumb"}, Words{}}) {
    const Workspace w;
    Terminal terminal(w, kTwoAttempts, 80, env);
    const Ran ran = terminal.end();
    EXPECT_EQ(ran.code, 0);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("new best"), Not(HasSubstr(kEscape))));
  }
}

TEST(LiveView, ATerminalWithoutUtf8GetsAscii) {
  const auto beyond_ascii = [](const Words& env) {
    const Workspace w;
    Terminal terminal(w, kTwoAttempts, 80, env);
    const Ran ran = terminal.end();
    EXPECT_EQ(ran.code, 0);
    return std::ranges::count_if(ran.out, [](char c) { return (c & 0x80) != 0; });
  };
  EXPECT_EQ(beyond_ascii({"TERM=xterm", "LC_ALL=C"}), 0);
  EXPECT_GT(beyond_ascii(kXterm), 0);
}

TEST(LiveView, OneCtrlCIsAnsweredFinishesTheAttemptAndReports) {
  const Workspace w;
  Terminal terminal(w, {"optimize", "synthetic:7:100:700", "--strategy", "random"}, 80, kXterm);
  ASSERT_TRUE(terminal.wait_for("   2 "));
  terminal.type_interrupt();
  const Ran ran = terminal.end();
  EXPECT_EQ(ran.code, 130) << ran.out;
  EXPECT_THAT(ran.out,
              AllOf(AnyOf(HasSubstr("interrupted: finishing attempt 2"),
                          HasSubstr("interrupted: finishing attempt 3")),
                    HasSubstr("Ctrl-C again to stop now"), HasSubstr("stopped by: interrupt"),
                    HasSubstr("kw resume synthetic-1")));
  const nlohmann::json run = w.run();
  EXPECT_EQ(run["state"], "interrupted");
  EXPECT_GE(run["attempts"], 2) << "the second was in flight";
}

TEST(LiveView, ASecondCtrlCStopsSoonAndAThirdAtOnce) {
  for (const int more : {1, 2}) {
    const Workspace w;
    // A judgement takes far longer than typing Ctrl-C, so that the run is still judging then.
    Terminal terminal(w, {"optimize", "synthetic:7:100:10000", "--strategy", "random"}, 80, kXterm);
    ASSERT_TRUE(terminal.wait_for("   1 "));
    terminal.type_interrupt();
    ASSERT_TRUE(terminal.wait_for("Ctrl-C again to stop now"));
    terminal.type_interrupt();
    // Two signals in quick succession may arrive as one, so Ctrl-C is typed again until the program
    // ends.
    if (more == 2)
      while (!terminal.ends_within(std::chrono::milliseconds(200))) terminal.type_interrupt();
    const Ran ran = terminal.end();
    if (more == 1) {
      EXPECT_EQ(ran.code, 130) << ran.out;
      EXPECT_THAT(ran.out, HasSubstr("kw: interrupted"));
    } else {
      EXPECT_TRUE(ran.signal == SIGINT || ran.code == 130) << ran.out;
    }
    EXPECT_EQ(w.run()["state"], "stopped");
  }
}

}  // namespace
}  // namespace kw::program
