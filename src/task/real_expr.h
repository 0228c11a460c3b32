// Real expressions of launch plans: the values of f32 and f64 arguments, tables and fills.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expr.h"

namespace kw::task {

/// An expression of `+ - * /`, parentheses, numbers, inf, nan, names and a few functions, evaluated
/// in float64 (docs/launch-plan.md). Immutable. Parsing any text gives an expression or an
/// ExprError.
class RealExpr {
 public:
  /// Returns the value of a name, or nothing for an unknown name.
  using Lookup = std::function<std::optional<double>(std::string_view name)>;

  static std::expected<RealExpr, ExprError> parse(std::string_view text);

  /// The expression's value. The only possible error is a name that `lookup` does not know.
  std::expected<double, ExprError> evaluate(const Lookup& lookup) const;

  /// The text from which the expression was parsed.
  const std::string& text() const { return text_; }

 private:
  class Parser;
  enum class Op { Number, Name, Add, Subtract, Multiply, Divide, Negate, Call };
  struct Node {
    Op op = Op::Number;
    double number = 0;
    std::string name = {};  ///< The name of a variable or a function.
    std::size_t offset = 0;
    int height = 1;
    std::vector<std::size_t> children = {};
  };

  std::expected<double, ExprError> value(std::size_t index, const Lookup& lookup) const;

  std::string text_ = "0";
  /// The nodes of the expression's tree: children before parents, the root last.
  std::vector<Node> nodes_ = {Node{}};
};

}  // namespace kw::task
