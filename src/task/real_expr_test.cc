// Tests of real expressions.
// SPDX-License-Identifier: Apache-2.0
#include "task/real_expr.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace kw::task {
namespace {

std::optional<double> lookup(std::string_view name) {
  return name == "k" ? std::optional(8.0) : std::nullopt;
}

double value(std::string_view text) {
  const auto expr = RealExpr::parse(text);
  EXPECT_TRUE(expr.has_value()) << text << ": " << expr.error().message;
  return expr ? expr->evaluate(lookup).value() : 0;
}

TEST(RealExpr, Values) {
  EXPECT_EQ(value("1 / k"), 0.125);
  EXPECT_EQ(value("1 - 2 - 3"), -4);
  EXPECT_EQ(value("2 + 3 * 4"), 14);
  EXPECT_EQ(value("-(2 + 3) * - 4"), 20);
  EXPECT_EQ(value("--1e-1"), 0.1);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("sqrt(k * 2) + pow(2, 3) + max(1, k) + min(1, k) + abs(-1)"), 22);
  EXPECT_NEAR(value("exp(log(3)) + sin(0) + cos(0)"), 4, 1e-12);
  EXPECT_TRUE(std::isinf(value("-inf")));
  EXPECT_TRUE(std::isnan(value("nan")));
}

TEST(RealExpr, Errors) {
  const auto said = [](std::string_view text) {
    const auto expr = RealExpr::parse(text);
    EXPECT_FALSE(expr.has_value()) << text;
    return expr ? "accepted" : std::to_string(expr.error().offset) + " " + expr.error().about;
  };
  EXPECT_EQ(said(""), "0 end, not a number, a name or '('");
  EXPECT_EQ(said("1 +"), "3 end, not a number, a name or '('");
  EXPECT_EQ(said("1 2"), "2 2, not an operator or the end");
  EXPECT_EQ(said("2x"), "1 x, not an operator");
  EXPECT_EQ(said("(1"), "2 end, not ')'");
  EXPECT_EQ(said("pow(1)"), "0 pow with 1");
  EXPECT_EQ(said("1 + tam(2)"), "4 function tam");
  EXPECT_EQ(said("sqtr(2)"), "0 function sqtr -> sqrt");
  EXPECT_EQ(said("1e999"), "0 number");
  EXPECT_EQ(said(std::string(5000, '1')), "0 4096 bytes");
  EXPECT_EQ(said(std::string(1000, '(')), "128 levels");
  const auto unknown = RealExpr::parse("1 + z")->evaluate(lookup).error();
  EXPECT_EQ(unknown.offset, 4u);
  EXPECT_EQ(unknown.about, "z");
}

RC_GTEST_PROP(RealExprProperty, SurvivesAnyText, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "1", ".", "e", "-", "+", "*", "/", "(", ")", ",", "k", "sqrt(", "pow(", " ", "inf"));
  std::string text;
  for (const auto& word : words) text += word;
  const auto expr = RealExpr::parse(text);
  if (!expr) {
    RC_ASSERT(expr.error().offset <= text.size());
    RC_ASSERT(!expr.error().message.empty());
    return;
  }
  const auto value = expr->evaluate(lookup);
  RC_ASSERT(value || value.error().offset < text.size());
}

}  // namespace
}  // namespace kw::task
