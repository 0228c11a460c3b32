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
  const auto offset = [](std::string_view text) {
    const auto expr = RealExpr::parse(text);
    EXPECT_FALSE(expr.has_value()) << text;
    return expr ? 0 : expr.error().offset;
  };
  EXPECT_EQ(offset(""), 0u);
  EXPECT_EQ(offset("1 +"), 3u);
  EXPECT_EQ(offset("1 2"), 2u);
  EXPECT_EQ(offset("2x"), 1u);
  EXPECT_EQ(offset("(1"), 2u);
  EXPECT_EQ(offset("pow(1)"), 0u);
  EXPECT_EQ(offset("1 + tan(2)"), 4u);
  EXPECT_EQ(offset("1e999"), 0u);
  EXPECT_FALSE(RealExpr::parse(std::string(5000, '1')).has_value());
  EXPECT_FALSE(RealExpr::parse(std::string(1000, '(')).has_value());
  EXPECT_EQ(RealExpr::parse("1 + z")->evaluate(lookup).error().offset, 4u);
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
