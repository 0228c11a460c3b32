// Sizes in a host program as expressions of the plan language (docs/expressions.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kw::import {

/// An immutable expression of integers or reals over names. Constants are folded, and usual ways of
/// rounding a quotient up become ceil_div. Copies are cheap.
class Size {
 public:
  enum class Op {
    Number,
    Name,
    /// A named constant of the program; replaced by its value unless the plan keeps the name.
    Named,
    Text,    ///< Text in the plan language, used as written.
    Unary,   ///< The operator - or !.
    Binary,  ///< An operator among + - * / %, comparisons, && and ||.
    Choice,
    Call
  };

  Size() : Size(0) {}
  Size(std::int64_t value);  // NOLINT: numbers convert to sizes implicitly
  static Size name(std::string name);
  static Size named(std::string name, const Size& value);
  static Size text(std::string text);
  static Size unary(const std::string& op, const Size& a);
  /// The negation of a condition.
  static Size opposite(const Size& condition);
  /// Applies C's operator `op` to two integer expressions.
  static Size binary(const std::string& op, const Size& a, const Size& b);
  static Size choice(const Size& condition, const Size& yes, const Size& no);
  static Size call(const std::string& function, std::vector<Size> arguments);

  Op op() const { return node_->op; }
  /// The operator, name, function or text of the node.
  const std::string& word() const { return node_->word; }
  const std::vector<Size>& parts() const { return node_->parts; }
  /// The value if the size is a number or a named constant; nothing otherwise.
  std::optional<std::int64_t> number() const;
  bool is(std::int64_t value) const { return number() == value; }

  /// Called with a name or named constant; returns what replaces it. If it returns nothing, a name
  /// stays and a named constant becomes its value.
  using Replace = std::function<std::optional<Size>(const Size& leaf)>;
  Size replaced(const Replace& replace) const;
  /// Calls `visit` for every name and named constant.
  void visit_leaves(const std::function<void(const Size& leaf)>& visit) const;

  /// The expression in the plan language. With `operand` set, the text is in parentheses unless it
  /// is a name, number or call.
  std::string to_text(bool operand = false) const;
  /// Whether both are the same expression. Named constants with equal names and different values
  /// differ.
  bool operator==(const Size& other) const;

  /// The number of nodes of the expression tree below this node, for limits on size.
  std::size_t weight() const { return node_->weight; }

 private:
  struct Node {
    Op op = Op::Number;
    std::int64_t value = 0;
    std::string word;
    std::vector<Size> parts;
    std::size_t weight = 1;
  };
  static Size make(Op op, std::string word, std::vector<Size> parts);
  void write(std::string& text, int level) const;
  std::shared_ptr<const Node> node_;
};

/// The least and the greatest value that the form of an expression allows; nothing if it has no
/// bound. Sizes of a task are at least 1, and counters of loops, whose names begin with %, at least
/// 0.
std::optional<std::int64_t> least(const Size& size);
std::optional<std::int64_t> greatest(const Size& size);

/// Whether the form of both expressions shows that they are equal, as for 4 * n and n * 4.
bool is_same_amount(const Size& a, const Size& b);

/// The expression with C's division, which rounds towards zero, wherever a numerator may be
/// negative: there the plan language would round otherwise. A quotient that is an extent stays as
/// it is, since extents must be positive.
Size with_division_of_c(const Size& size, bool is_extent);

/// The quotient size / divisor if the form of `size` shows that it is a multiple of `divisor`;
/// nothing otherwise.
std::optional<Size> exact_quotient(const Size& size, std::int64_t divisor);

}  // namespace kw::import
