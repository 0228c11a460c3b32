// Tests of which lines of a source are skipped.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/conditions.h"

#include <gtest/gtest.h>

#include "task/test_draft.h"

namespace kw::task {
namespace {

/// The lines that stay, without those of blanks.
std::string lines_left(std::string_view source) {
  const DecidedSource decided = with_decided_conditions(source);
  std::string text;
  for (const std::string_view line : split_lines(decided.source))
    if (!trim(line).empty()) text += std::string(trim(line)) + "\n";
  return text;
}

TEST(DecidedConditions, WhatTheFileDoesNotDefineIsNotDefined) {
  EXPECT_EQ(lines_left("#ifdef BIG\nA\n#else\nB\n#endif\nC\n"), "B\nC\n");
  EXPECT_EQ(lines_left("#ifndef BIG\nA\n#else\nB\n#endif\nC\n"), "A\nC\n");
  EXPECT_EQ(lines_left("#if defined(A) && B > 2\nA\n#elif !defined C\nB\n#else\nC\n#endif\n"),
            "B\n");
}

TEST(DecidedConditions, MacrosCountInTheirOrder) {
  EXPECT_EQ(lines_left("#define K 1\n#if K > 0\nA\n#else\nB\n#endif\n#undef K\n#if K\nC\n#endif\n"),
            "#define K 1\nA\n#undef K\n");
  EXPECT_EQ(lines_left("#ifdef X\n#define Y\n#endif\n#ifdef Y\nA\n#endif\nB\n"), "B\n");
}

TEST(DecidedConditions, OneBranchAtMostIsLeft) {
  EXPECT_EQ(lines_left("#if 1\nA\n#elif 1\nB\n#else\nC\n#endif\n"), "A\n");
  EXPECT_EQ(lines_left("#if 0\n#if 1\nA\n#else\nB\n#endif\n#else\nC\n#endif\n"), "C\n");
}

TEST(DecidedConditions, WhatACompilerMayDefineStays) {
  const std::string_view text = "#ifdef __SSE2__\n#define V 4\n#else\n#define V 1\n#endif\n";
  EXPECT_EQ(with_decided_conditions(text).source, text);
  // … and so does what follows from it.
  EXPECT_EQ(lines_left(std::string(text) + "#if V > 2\nA\n#endif\n"),
            std::string(text) + "#if V > 2\nA\n#endif\n");
  EXPECT_EQ(lines_left("#ifdef BIG\nA\n"), "#ifdef BIG\nA\n");
  const std::string_view size = "#define N 64\n#if N > 32\nA\n#endif\n";
  EXPECT_EQ(with_decided_conditions(size).source, size);
}

TEST(DecidedConditions, LongAndDeepConditionsStay) {
  std::string macros = "#define M16 0\n";
  for (int i = 0; i < 16; ++i) {
    macros += "#define M" + std::to_string(i) + " 0";
    for (int k = 0; k < 20; ++k) macros += "+M" + std::to_string(i + 1);
    macros += "\n";
  }
  const std::string source = macros + "#if M0\nA\n#endif\n";
  EXPECT_EQ(with_decided_conditions(source).source, source);
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "#if 1\n";
  deep += "A\n";
  for (int i = 0; i < 100; ++i) deep += "#endif\n";
  EXPECT_TRUE(with_decided_conditions(deep).source.contains("#if 1"));
  EXPECT_EQ(lines_left("#define A B\n#define B A\n#if A\nC\n#endif\n"),
            "#define A B\n#define B A\n#if A\nC\n#endif\n");
}

TEST(DecidedConditions, BytesAndLinesStayWhereTheyAre) {
  const std::string_view text = "#if 0\nint a; /* b\n */\n#endif\nint c;\n";
  const std::string left = with_decided_conditions(text).source;
  EXPECT_EQ(left.size(), text.size());
  EXPECT_EQ(left.find("int c"), text.find("int c"));
}

TEST(DecidedConditions, WhatIsLeftOutByAMissingMacroIsTold) {
  EXPECT_EQ(with_decided_conditions("#ifdef BIG\nA\n#endif\n").notes.size(), 1U);
  EXPECT_TRUE(
      with_decided_conditions("#ifndef HEADER_H\n#define HEADER_H\n#endif\n").notes.empty());
  EXPECT_TRUE(with_decided_conditions("#if 0\nA\n#endif\n").notes.empty());
}

TEST(DecidedConditions, DraftsHaveTheTypesAndNumbersThatACompilerSees) {
  const Draft one = draft(
      "#ifdef IN_DOUBLE\ntypedef double real;\n#define SCALE 3\n#else\ntypedef float real;\n"
      "#define SCALE 2\n#endif\n"
      "#ifndef WITHOUT_SUM\n#define K 16\n#else\n#define K 4\n#endif\n"
      "void f(int n, const real* x, real* y) {\n"
      "#if 0\n  for (int i = 0; i < n; ++i) y[i] = 0;\n#endif\n"
      "  for (int i = 0; i < n; ++i) y[i] = SCALE * x[i * K + K - 1];\n}\n");
  EXPECT_TRUE(one.files.at("task.yaml").contains("dtype: f32"));
  EXPECT_FALSE(one.files.at("task.yaml").contains("dtype: f64"));
  EXPECT_TRUE(one.files.at("reference.cpp").contains("#define SCALE 2\n"));
  EXPECT_FALSE(one.files.at("reference.cpp").contains("#define SCALE 3"));
  EXPECT_EQ(tensors_of(one), "x in [16 * n]; y out [n]");
}

}  // namespace
}  // namespace kw::task
