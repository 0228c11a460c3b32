// The one integer expression language of shapes, work, knobs and launch plans
// (docs/expressions.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expr_node.h"
#include "base/result.h"

namespace kw {

/// Values of names during evaluation.
using Names = std::map<std::string, std::int64_t, std::less<>>;

/// What is wrong with an expression, and at which byte of its text.
struct ExprError {
  std::size_t offset = 0;
  std::string message;
  std::string about{};  ///< Short stable name of what is wrong, for Error::about.
};

/// A parsed expression: immutable, cheap to evaluate often (no allocation), total: every input
/// gives a value or an ExprError.
class Expr {
 public:
  Expr() = default;  ///< the literal 0
  static Expr literal(std::int64_t value);

  static constexpr std::size_t kMaxText = 4096;  ///< bytes; longer text is an error
  /// Greatest height of an expression's tree, which bounds the recursion of every walk over the
  /// tree.
  static constexpr int kMaxHeight = 128;

  static std::expected<Expr, ExprError> parse(std::string_view text);

  /// 64-bit signed arithmetic; overflow, division by zero and unknown names are errors. `&&`, `||`
  /// and `?:` evaluate only the operands that decide the value.
  std::expected<std::int64_t, ExprError> evaluate(const Names& names) const;

  /// Names that occur in the expression, each once, in order of appearance.
  const std::vector<std::string>& names() const { return names_; }

  /// Fails at the first name that is not among `known`, with its place and the nearest known name.
  std::expected<void, ExprError> check_names(std::span<const std::string> known) const;

  const std::string& text() const { return text_; }

  /// Canonical text: fewest parentheses; parses back to the same tree.
  std::string print() const;

 private:
  class Parser;
  class Evaluator;

  void print_node(std::size_t index, int parent_rank, std::string& out) const;

  std::string text_ = "0";
  std::vector<std::string> names_;
  std::vector<expr::Node> nodes_ = {
      expr::Node{}};  ///< children before parents; the last is the root
};

/// True for the names of built-in functions, which cannot be used for anything else.
bool is_expression_function(std::string_view name);

/// Parses and evaluates one text. The error is one line; its place is the column within the text.
Result<std::int64_t> evaluate_text(std::string_view text, const Names& names);

}  // namespace kw
