// Tests of the reader of text cases, and that an unmet expectation is a failure.
// SPDX-License-Identifier: Apache-2.0
#include "case.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "platform/files.h"

namespace kw::program {
namespace {

using testing::ElementsAre;

TEST(CaseText, IsStatementsWithBlocks) {
  const auto statements = parse_case("# why\n\nwrite a.txt\n| one\n|\n|  two\nexit 2\nno out");
  ASSERT_EQ(statements.size(), 3u);
  EXPECT_EQ(statements[0].verb, "write");
  EXPECT_EQ(statements[0].rest, "a.txt");
  EXPECT_EQ(statements[0].line, 3);
  EXPECT_EQ(statements[0].block, "one\n\n two\n");
  EXPECT_EQ(statements[2].rest, "out");
  EXPECT_ANY_THROW(parse_case("| block"));
}

TEST(CaseText, WordsKeepWhatIsQuoted) {
  EXPECT_THAT(split_words("judge  'a b' \"\" x'y z'"), ElementsAre("judge", "a b", "", "xy z"));
  EXPECT_ANY_THROW(split_words("'a"));
}

TEST(CaseText, StarsStandForAnything) {
  EXPECT_TRUE(matches("kw: *.cpp: no such file", "kw: a/b.cpp: no such file"));
  EXPECT_TRUE(matches("*b*", "abc"));
  EXPECT_TRUE(matches("a*", "a"));
  EXPECT_FALSE(matches("a*c", "ab"));
  EXPECT_FALSE(matches("kw", "kw:"));
}

struct Wrong {
  const char* text;
  const char* says;
};

TEST(CaseText, WhatDoesNotHoldFails) {
  const Wrong kWrong[] = {
      {"kw runs --jason\n", "ended with 2"},
      {"kw --version\nexit 1\n", "it was 0"},
      {"kw --version\nout: nothing\n", "no such line"},
      {"kw --version\nout: *\nout: *\n", "no such line"},
      {"kw --version\nno out\n", "something was printed"},
      {"kw --version\nerr-only: *\n", "not this one line"},
      {"kw --version\njson\n", "not exactly one object"},
      {"kw runs --json\njson /runs = 7\n", "it is []"},
      {"kw runs --json\njson /walks\n", "no such key"},
      {"file: nothing.txt\n", "missing or empty"},
      {"write a.txt\n| text\nno file: a.txt\n", "it exists"},
      {"write a.txt\n| text\nchange a.txt: txet => y\n", "does not hold this"},
      {"dance\n", "unknown statement"},
      {"exit 0\n", "no command before this"},
  };
  const auto folder = platform::TempDir::create("kw-case");
  ASSERT_TRUE(folder);
  static std::string file;
  file = (folder->path() / "wrong.case").string();
  for (const Wrong& wrong : kWrong) {
    ASSERT_TRUE(platform::write_file_atomic(file, wrong.text, false));
    SCOPED_TRACE(wrong.text);
    EXPECT_NONFATAL_FAILURE(run_case(file), wrong.says);
  }
}

}  // namespace
}  // namespace kw::program
