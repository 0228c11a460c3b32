// Tests of expressions in C++ and Python: how pieces are translated, what is refused, and how
// formulas are solved for a dim.
// SPDX-License-Identifier: Apache-2.0
#include "deliver/formula_text.h"

#include <gmock/gmock.h>

#include "base/error_for_test.h"

namespace kw::deliver {
namespace {

Expr expr(const char* text) { return Expr::parse(text).value(); }
Result<std::string> as_v(std::string_view name) { return "v_" + std::string(name); }

TEST(FormulaText, CppKeepsTheWordsAndWrapsNumbers) {
  EXPECT_EQ(cpp_text(expr("ceil_div(n, 4 * B) + min(n,0x10)"), as_v).value(),
            "kw_ceil_div(v_n, Int(4ll) * v_B) + kw_min(v_n,Int(0x10ll))");
  EXPECT_EQ(cpp_text(expr("n % 3 == 0 && !m ? -n : m"), as_v).value(),
            "v_n % Int(3ll) == Int(0ll) && !v_m ? -v_n : v_m");
}

TEST(FormulaText, RealNumbersAreDoubles) {
  EXPECT_EQ(cpp_real_text("1 / k + 1e-5 * sqrt(a)", as_v).value(),
            "double(1) / real(v_k) + double(1e-5) * std::sqrt(real(v_a))");
  EXPECT_EQ(cpp_real_text("min(-inf, .5)", as_v).value(),
            "std::fmin(-std::numeric_limits<double>::infinity(), double(.5))");
}

TEST(FormulaText, PythonDividesAsWeDoAndKnowsNoChoice) {
  EXPECT_EQ(python_text(expr("align_up(n, 8) / 2 % 3"), as_v).value(),
            "_align_up(v_n, 8) // 2 % 3");
  const auto refused = python_text(expr("n > 1 ? n : 1"), as_v);
  EXPECT_THAT(refused, IsErrorAbout(ErrorCode::Unsupported, "?:"));
}

TEST(FormulaText, ANameWithoutAValueIsAnError) {
  const auto none = [](std::string_view name) -> Result<std::string> {
    return fail_input(ErrorCode::NotFound, About{std::string(name)}, "no " + std::string(name));
  };
  EXPECT_THAT(cpp_text(expr("2 * n"), none), IsErrorAbout(ErrorCode::NotFound, "n"));
}

TEST(SolvedName, WhereTheFormulaGrowsByOne) {
  EXPECT_EQ(solved_name(expr("m + pad"), {"m"}), "pad");
  EXPECT_EQ(solved_name(expr("n"), {}), "n");
  EXPECT_EQ(solved_name(expr("n + 8 - m * 2"), {"m"}), "n");
  EXPECT_EQ(solved_name(expr("2 * n"), {}), std::nullopt);
  EXPECT_EQ(solved_name(expr("n * m"), {"m"}), std::nullopt);
  EXPECT_EQ(solved_name(expr("n + m"), {}), std::nullopt) << "two unknowns";
  EXPECT_EQ(solved_name(expr("max(n, 3)"), {}), std::nullopt);
  EXPECT_EQ(solved_name(expr("m"), {"m"}), std::nullopt) << "nothing is unknown";
}

}  // namespace
}  // namespace kw::deliver
