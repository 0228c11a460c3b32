// Printing through the filter, in a process of its own.
// SPDX-License-Identifier: Apache-2.0
#include "base/shown_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/nasty_text_for_test.h"
#include "base/text.h"

namespace kw {
namespace {

/// What a child leaves on both descriptors that prints by `body` and ends as programs do.
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

TEST(ShownOutput, OwnSequencesPassInTheirPlace) {
  EXPECT_EQ(printed([] {
              std::fprintf(stderr, "a");
              write_to_terminal("\r\033[K");
              std::fprintf(stderr, "b\n");
            }),
            "a\r\033[Kb\n");
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
