// Tests of the expression language: values, diagnostics, printing, and agreement with wider
// arithmetic.
// SPDX-License-Identifier: Apache-2.0
#include "base/expr.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <memory>
#include <optional>

namespace kw {
namespace {

constexpr auto kLowest = std::numeric_limits<std::int64_t>::min();
constexpr auto kHighest = std::numeric_limits<std::int64_t>::max();

const Names kNames = {{"n", 10}, {"m", 3}, {"zero", 0}, {"BLOCK", 64}, {"low", kLowest}};

std::int64_t value_of(std::string_view text) {
  const auto result = evaluate_text(text, kNames);
  EXPECT_TRUE(result.has_value()) << text << ": " << (result ? "" : describe(result.error()));
  return result.value_or(-999);
}

/// "offset: message" of a parse or evaluation error.
std::string error_of(std::string_view text) {
  const auto expr = Expr::parse(text);
  if (!expr) return std::to_string(expr.error().offset) + ": " + expr.error().message;
  const auto value = expr->evaluate(kNames);
  if (!value) return std::to_string(value.error().offset) + ": " + value.error().message;
  return "value " + std::to_string(*value);
}

TEST(Expr, FollowsTheUsualPrecedence) {
  EXPECT_EQ(value_of("1 + 2 * 3"), 7);
  EXPECT_EQ(value_of("(1 + 2) * 3"), 9);
  EXPECT_EQ(value_of("10 - 4 - 3"), 3);
  EXPECT_EQ(value_of("-n + 1"), -9);
  EXPECT_EQ(value_of("!zero && n == 10 || 0"), 1);
  EXPECT_EQ(value_of("n > m ? n : m"), 10);
  EXPECT_EQ(value_of("0 ? 1 : 0 ? 2 : 3"), 3);
}

TEST(Expr, RoundsDownWhenDividing) {
  EXPECT_EQ(value_of("7 / 2"), 3);
  EXPECT_EQ(value_of("-7 / 2"), -4);
  EXPECT_EQ(value_of("-1 % 3"), 2);
  EXPECT_EQ(value_of("1 % -3"), -2);
  EXPECT_EQ(value_of("ceil_div(7, 2)"), 4);
  EXPECT_EQ(value_of("ceil_div(-7, 2)"), -3);
  EXPECT_EQ(value_of("low % -1"), 0);
}

TEST(Expr, HasTheFunctionsOfTheManual) {
  EXPECT_EQ(value_of("min(4, 2, 3) + max(4, 9, 3)"), 11);
  EXPECT_EQ(value_of("align_up(65, BLOCK)"), 128);
  EXPECT_EQ(value_of("align_up(-65, BLOCK)"), -64);
  EXPECT_EQ(value_of("align_up(128, BLOCK)"), 128);
  EXPECT_EQ(value_of("is_pow2(64) + is_pow2(63) + is_pow2(0) + is_pow2(-8)"), 1);
  EXPECT_EQ(value_of("log2_floor(1) * 100 + log2_floor(1023)"), 9);
  EXPECT_EQ(value_of("abs(-5) + abs(5)"), 10);
  EXPECT_EQ(value_of("0x10 + 0Xff"), 271);
}

TEST(Expr, SkipsTheSideThatDoesNotCount) {
  EXPECT_EQ(value_of("zero != 0 && n / zero > 1"), 0);
  EXPECT_EQ(value_of("zero == 0 || n / zero > 1"), 1);
  EXPECT_EQ(value_of("zero == 0 ? 7 : n / zero"), 7);
}

TEST(Expr, ReachesBothEndsOfTheRange) {
  EXPECT_EQ(value_of("9223372036854775807"), kHighest);
  EXPECT_EQ(value_of("-9223372036854775808"), kLowest);
  EXPECT_EQ(error_of("9223372036854775808"), "0: this number does not fit into a 64-bit integer");
  EXPECT_EQ(error_of("1 + -9223372036854775809"),
            "5: this number does not fit into a 64-bit integer");
  EXPECT_EQ(error_of("9223372036854775807 + 1"),
            "20: the result of this expression does not fit into a 64-bit integer");
  EXPECT_EQ(error_of("-low"),
            "0: the result of this expression does not fit into a 64-bit integer");
  EXPECT_EQ(error_of("low / -1"),
            "4: the result of this expression does not fit into a 64-bit integer");
  EXPECT_EQ(error_of("abs(low)"),
            "0: the result of this expression does not fit into a 64-bit integer");
  EXPECT_EQ(error_of("align_up(9223372036854775807, 2)"),
            "0: the result of this expression does not fit into a 64-bit integer");
}

TEST(Expr, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of(""), "0: expected a number, a name or '(', but the expression ends");
  EXPECT_EQ(error_of("n +"), "3: expected a number, a name or '(', but the expression ends");
  EXPECT_EQ(error_of("n m"), "2: expected an operator or the end, not 'm'");
  EXPECT_EQ(error_of("(n"), "2: expected ')', but the expression ends");
  EXPECT_EQ(error_of("n ? 1"), "5: expected ':', but the expression ends");
  EXPECT_EQ(error_of("n = 1"), "2: expected an operator or the end, not '='");
  EXPECT_EQ(error_of("1.5"), "1: expected an operator or the end, not '.'");
  EXPECT_EQ(error_of("12k"), "0: '12k' is not an integer");
  EXPECT_EQ(error_of("0x"), "0: '0x' is not an integer");
  EXPECT_EQ(error_of("n / zero"), "2: this expression divides by zero");
  EXPECT_EQ(error_of("n % zero"), "2: this expression divides by zero");
  EXPECT_EQ(error_of("1 < 2 < 3"),
            "6: comparisons such as a < b < c cannot be chained; write a < b && b < c");
  EXPECT_EQ(error_of("2 * BLOK"), "4: unknown name 'BLOK' (did you mean 'BLOCK'?)");
  EXPECT_EQ(error_of("2 * q"), "4: unknown name 'q'");
  EXPECT_EQ(error_of("ciel_div(n, 2)"),
            "0: unknown function 'ciel_div' (did you mean 'ceil_div'?)");
  EXPECT_EQ(error_of("ceil_div(n)"), "0: ceil_div takes 2 arguments, not 1");
  EXPECT_EQ(error_of("abs(1, 2)"), "0: abs takes 1 argument, not 2");
  EXPECT_EQ(error_of("min(1)"), "0: min takes 2 arguments or more, not 1");
  EXPECT_EQ(error_of("min + 1"),
            "0: 'min' is a function of expressions and needs arguments in parentheses");
  EXPECT_EQ(error_of("log2_floor(0)"), "0: log2_floor needs a positive number");
  EXPECT_EQ(error_of("n \x01"), "2: expected an operator or the end, not '\\x01'");
}

TEST(Expr, RefusesWhatIsTooDeepOrTooLong) {
  EXPECT_NE(error_of(std::string(3000, '(')).find("nested deeper"), std::string::npos);
  EXPECT_NE(error_of(std::string(3000, '-') + "n").find("nested deeper"), std::string::npos);
  std::string sum = "1";
  for (int i = 0; i < 1000; ++i) sum += "+1";
  EXPECT_NE(error_of(sum).find("nested deeper"), std::string::npos);
  EXPECT_NE(error_of(std::string(5000, ' ')).find("5000 bytes"), std::string::npos);
  std::string fine = "1";
  for (int i = 0; i < 100; ++i) fine += "+1";
  EXPECT_EQ(value_of(fine), 101);
}

TEST(Expr, ListsNamesOnceInOrder) {
  const auto expr = Expr::parse("b + a * b - max(c, a)");
  ASSERT_TRUE(expr);
  EXPECT_EQ(expr->names(), (std::vector<std::string>{"b", "a", "c"}));
  EXPECT_EQ(expr->text(), "b + a * b - max(c, a)");
}

TEST(Expr, PrintsWithFewParentheses) {
  const auto printed = [](std::string_view text) { return Expr::parse(text).value().print(); };
  EXPECT_EQ(printed("((a+b))*(c)"), "(a + b) * c");
  EXPECT_EQ(printed("a-(b-c)"), "a - (b - c)");
  EXPECT_EQ(printed("-(5) - -5"), "-(5) - -5");
  EXPECT_EQ(printed("!(a&&b)||c"), "!(a && b) || c");
  EXPECT_EQ(printed("min(a,b,c)"), "min(min(a, b), c)");
  EXPECT_EQ(printed("(a?b:c)?d:(e?f:g)"), "(a ? b : c) ? d : e ? f : g");
  EXPECT_EQ(Expr::literal(-3).print(), "-3");
  EXPECT_EQ(Expr().print(), "0");
}

/// A random tree with its own evaluation in 128 bits, which knows nothing of Expr.
struct Model {
  using Wide = __int128;
  std::string text;
  std::optional<std::int64_t> value;  ///< nothing where the language must report an error
};

std::optional<std::int64_t> narrow(Model::Wide wide) {
  if (wide < kLowest || wide > kHighest) return std::nullopt;
  return static_cast<std::int64_t>(wide);
}

Model combine(char op, const Model& a, const Model& b) {
  Model model;
  model.text = "(" + a.text + " " + op + " " + b.text + ")";
  if (!a.value || !b.value) return model;
  const Model::Wide x = *a.value;
  const Model::Wide y = *b.value;
  if (op == '+') model.value = narrow(x + y);
  if (op == '-') model.value = narrow(x - y);
  if (op == '*') model.value = narrow(x * y);
  if (op == '<') model.value = x < y;
  if ((op == '/' || op == '%') && y != 0) {
    Model::Wide quotient = x / y;
    if (quotient * y != x && (x < 0) != (y < 0)) --quotient;
    model.value = narrow(op == '/' ? quotient : x - quotient * y);
  }
  return model;
}

Model random_model(int depth) {
  if (depth == 0) {
    const auto number =
        *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(-4, 5), rc::gen::arbitrary<std::int64_t>(),
                        rc::gen::element(kLowest, kHighest, kLowest + 1, std::int64_t{1} << 32));
    return {std::to_string(number), number};
  }
  const char op = *rc::gen::element('+', '-', '*', '/', '%', '<');
  const Model a = random_model(*rc::gen::inRange(0, depth));
  const Model b = random_model(*rc::gen::inRange(0, depth));
  return combine(op, a, b);
}

RC_GTEST_PROP(ExprProperty, AgreesWithWiderArithmetic, ()) {
  const Model model = random_model(*rc::gen::inRange(1, 5));
  const auto expr = Expr::parse(model.text);
  RC_ASSERT(expr.has_value());
  const auto value = expr->evaluate({});
  RC_ASSERT(value.has_value() == model.value.has_value());
  if (value) RC_ASSERT(*value == *model.value);
}

RC_GTEST_PROP(ExprProperty, PrintsTextOfEqualMeaning, ()) {
  const Model model = random_model(*rc::gen::inRange(1, 6));
  const std::string printed = Expr::parse(model.text).value().print();
  const auto again = Expr::parse(printed);
  RC_ASSERT(again.has_value());
  RC_ASSERT(again->print() == printed);
  const auto value = again->evaluate({});
  RC_ASSERT(value.has_value() == model.value.has_value());
  if (value) RC_ASSERT(*value == *model.value);
}

RC_GTEST_PROP(ExprProperty, SurvivesAnyText, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("0123456789abnmx_+-*/%<>=!&|?:(), \n\xff")));
  const auto expr = Expr::parse(text);
  if (!expr) {
    RC_ASSERT(expr.error().offset <= text.size());
    return;
  }
  RC_ASSERT(Expr::parse(expr->print()).value().print() == expr->print());
}

}  // namespace
}  // namespace kw
