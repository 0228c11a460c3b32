// Tests of parameters that only choose what the code does.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "task/test_draft.h"

namespace kw::task {
namespace {

using ::testing::HasSubstr;

/// The values of the parameter `k` of a function with this statement: "0 1"; empty: no flag.
std::string values_of_flag(std::string_view statement, std::string_view type = "int") {
  const std::string source = "void f(int n, " + std::string(type) +
                             " k, const float* x, float* y) {\n  for (int i = 0; i < n; ++i) " +
                             std::string(statement) + "\n}\n";
  const lex::Tokens tokens = lex::tokenize(source);
  const auto function = parse_c_function(source, "f.c", tokens, "");
  if (!function) return place_and_about(function.error());
  auto flags = flags_of(*function, tokens);
  std::string text;
  for (const std::int64_t value : flags["k"])
    text += (text.empty() ? "" : " ") + std::to_string(value);
  return text;
}

TEST(DraftedFlags, WhatIsToldFromZeroIsBoth) {
  EXPECT_EQ(values_of_flag("{ if (k) y[i] = x[i]; else y[i] = 0; }"), "0 1");
  EXPECT_EQ(values_of_flag("y[i] = k ? x[i] : 0;"), "0 1");
  EXPECT_EQ(values_of_flag("y[i] = !k && x[i] > 0 ? x[i] : 0;"), "0 1");
  EXPECT_EQ(values_of_flag("y[i] = k * x[i];", "bool"), "0 1");
}

TEST(DraftedFlags, EachNumberOfAComparisonIsTaken) {
  EXPECT_EQ(values_of_flag("{ if (k == 0) y[i] = 1; else if (k == 4) y[i] = 2; }"), "0 1 4 5");
  EXPECT_EQ(values_of_flag("switch (k) { case 1: y[i] = 1; break; case 3: y[i] = 2; }"), "1 3 4");
  EXPECT_EQ(values_of_flag("y[i] = k & 4 ? x[i] : 0;"), "0 4");
  EXPECT_EQ(values_of_flag("if (k > 2) y[i] = x[i];"), "2 3");
}

TEST(DraftedFlags, WhatCountsOrCalculatesIsNone) {
  EXPECT_EQ(values_of_flag("if (k > 2) y[i] = x[i] * k;"), "");
  EXPECT_EQ(values_of_flag("for (int j = 0; j < k; ++j) y[i] = x[i];"), "");
  EXPECT_EQ(values_of_flag("if (i < k) y[i] = x[i];"), "");
  EXPECT_EQ(values_of_flag("y[i] = x[i * k];"), "");
  EXPECT_EQ(values_of_flag("y[i] = x[i];"), "");
}

TEST(DraftedFlags, WorkloadsTakeEachWay) {
  const Draft drafted = draft(
      "#include <stdbool.h>\nvoid f(int n, bool a, int mode, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) {\n    float v = x[i];\n    if (a && v < 0) v = 0;\n"
      "    if (mode == 1) v = 2 * v;\n    y[i] = v;\n  }\n}\n");
  const std::string& shapes = drafted.files.at("shapes.yaml");
  for (const char* ways : {"a: 1, mode: 1", "a: 0, mode: 2", "a: 1, mode: 2", "a: 0, mode: 1"})
    EXPECT_THAT(shapes.substr(shapes.find("check:")), HasSubstr(ways));
  EXPECT_TRUE(parse_task({"draft", drafted.files}).has_value());
}

}  // namespace
}  // namespace kw::task
