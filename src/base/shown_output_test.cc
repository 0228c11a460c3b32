// Tests of printing through the filter, in child processes.
// SPDX-License-Identifier: Apache-2.0
#include "base/shown_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/nasty_text_for_test.h"
#include "base/text.h"

namespace kw {
namespace {

/// What a child that prints by `body` leaves on both descriptors by the time it ends.
template <class Body>
std::string printed(Body body) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], 1);
    ::dup2(ends[1], 2);
    show_output_safely();
    body();
    std::fflush(stdout);
    std::exit(0);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return text;
}

TEST(ShownOutput, NothingPrintedCommandsATerminal) {
  const std::string name = "x\x1b]52;c;aGk=\a\xe2\x80\xae\r.cu";
  const std::string shown = "x\\x1b]52;c;aGk=\\x07\\u202E\\x0d.cu";
  EXPECT_EQ(printed([&] { std::printf("%s\n", name.c_str()); }), shown + "\n");
  EXPECT_EQ(printed([&] { std::fprintf(stderr, "kw: %s\n", name.c_str()); }),
            "kw: " + shown + "\n");
  EXPECT_EQ(printed([&] { std::fwrite(name.data(), 1, name.size(), stdout); }), shown);
  EXPECT_EQ(printed([&] { std::fputs(name.c_str(), stderr); }), shown);
}

TEST(ShownOutput, AFullPipeThatDoesNotBlockLosesNothing) {
  const std::string line(100'000, 'x');
  const std::string text = printed([&] {
    ::fcntl(1, F_SETFL, ::fcntl(1, F_GETFL) | O_NONBLOCK);
    for (int i = 0; i < 10; ++i) std::printf("%s\n", line.c_str());
  });
  EXPECT_EQ(text.size(), 10 * (line.size() + 1));
}

TEST(ShownOutput, OwnSequencesPassInTheirPlace) {
  EXPECT_EQ(printed([] {
              std::fprintf(stderr, "a\n");
              print_own({"\033[32mb\033[m", 1});
              std::fprintf(stderr, "c\n");
            }),
            "a\n\033[32mb\033[m\nc\n");
}

TEST(ShownOutput, AStatusIsForTerminalsAlone) {
  EXPECT_EQ(printed([] {
              show_status({"passing", 7});
              std::fprintf(stderr, "a\n");
            }),
            "a\n");
}

/// What a child that prints by `body` writes to a terminal with this many columns.
template <class Body>
std::string on_terminal(int columns, const char* locale, Body body) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  int master = -1;
  const pid_t child = ::forkpty(&master, nullptr, nullptr, &size);
  if (child == 0) {
    ::setenv("LC_ALL", locale, 1);
    show_output_safely();
    body();
    std::exit(0);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = ::read(master, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  ::close(master);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return text;
}

TEST(ShownOutput, WhatIsPrintedGoesAboveTheStatus) {
  EXPECT_EQ(on_terminal(80, "C.UTF-8",
                        [] {
                          show_status({"one", 3});
                          std::printf("a\n");
                          show_status({"two", 3});
                        }),
            "one\r\033[Ka\r\none\r\033[Ktwo\r\033[K");
}

TEST(ShownOutput, AStatusErasesNoLineThatWasBegun) {
  EXPECT_EQ(on_terminal(80, "C.UTF-8",
                        [] {
                          std::fprintf(stderr, "Go on? ");
                          show_status({"one", 3});
                          std::fprintf(stderr, "yes\n");
                        }),
            "Go on? yes\r\none\r\033[K");
}

TEST(ShownOutput, ATerminalThatBecameNarrowerHasBrokenTheStatus) {
  EXPECT_EQ(on_terminal(80, "C.UTF-8",
                        [] {
                          show_status({std::string(70, 'x'), 70});
                          winsize size{};
                          size.ws_col = 30;
                          ::ioctl(2, TIOCSWINSZ, &size);
                          show_status({});
                        }),
            std::string(70, 'x') + "\r\033[2A\033[J");
}

TEST(ShownOutput, ATerminalWithoutUtf8GetsAsciiAndADocumentDoesNot) {
  const auto print = [] { std::printf("0.9–1.1 …\n"); };
  EXPECT_EQ(on_terminal(80, "C.UTF-8", print), "0.9–1.1 …\r\n");
  EXPECT_EQ(on_terminal(80, "C", print), "0.9-1.1 ...\r\n");
  EXPECT_EQ(on_terminal(80, "C",
                        [&] {
                          keep_output_as_utf8();
                          print();
                        }),
            "0.9–1.1 …\r\n");
  ::setenv("LC_ALL", "C", 1);
  EXPECT_EQ(printed(print), "0.9–1.1 …\n") << "a file is read by programs";
}

TEST(ShownOutput, WhatIsLostIsToldAtTheEndAndDisturbsNobodyBefore) {
  const auto lost = printed([] {
    ::dup2(::open("/dev/full", O_WRONLY | O_CLOEXEC), 1);
    for (int i = 0; i < 10'000; ++i) fmt::print("line {}\n", i);
    const auto written = finish_output();
    std::fprintf(stderr, "%s", written ? "nothing" : describe(written.error()).c_str());
  });
  EXPECT_EQ(lost, "standard output: cannot write: No space left on device");
  const auto kept = printed([] {
    std::printf("whole\n");
    if (!finish_output()) std::fprintf(stderr, "lost");
  });
  EXPECT_EQ(kept, "whole\n");
}

TEST(ShownOutput, NothingNastyComesThrough) {
  for (const std::string& text : nasty_texts())
    EXPECT_TRUE(is_shown_safely(printed([&] {
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);
      std::fwrite(text.data(), 1, text.size(), stderr);
    }))) << sanitise(text, 80);
}

TEST(ShownOutput, MuchOfItIsWhole) {
  const std::string line(1'000'000, 'x');
  EXPECT_EQ(printed([&] {
              for (int i = 0; i < 3; ++i) std::printf("%s\xc3\xa9\n", line.c_str());
            }).size(),
            3 * (line.size() + 3));
}

}  // namespace
}  // namespace kw
