// Sizes of a host program as expressions of the plan language (docs/expressions.md).
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

/// An immutable expression over names, of integers or of reals. Numbers are folded, and the usual
/// ways to round a quotient up become ceil_div. Copies are cheap.
class Size {
 public:
  enum class Op {
    Number,
    Name,
    Named,   ///< A constant of the program with its name: stands for its value unless kept.
    Text,    ///< An expression of the plan language as it stands.
    Unary,   ///< - !
    Binary,  ///< + - * / % comparisons && ||
    Choice,
    Call
  };

  Size() : Size(0) {}
  Size(std::int64_t value);  // NOLINT: numbers are sizes
  static Size name(std::string name);
  static Size named(std::string name, const Size& value);
  static Size text(std::string text);
  static Size unary(const std::string& op, const Size& a);
  /// `op` of C; of two integers.
  static Size binary(const std::string& op, const Size& a, const Size& b);
  static Size choice(const Size& condition, const Size& yes, const Size& no);
  static Size call(const std::string& function, std::vector<Size> arguments);

  Op op() const { return node_->op; }
  const std::string& word() const { return node_->word; }  ///< Operator, name, function or text.
  const std::vector<Size>& parts() const { return node_->parts; }
  /// The value where it is a number, a named one included.
  std::optional<std::int64_t> number() const;
  bool is(std::int64_t value) const { return number() == value; }

  /// What each name and named constant becomes; nothing: names stay, named constants become values.
  using Replace = std::function<std::optional<Size>(const Size& leaf)>;
  Size replaced(const Replace& replace) const;
  /// Calls `visit` for every name and named constant.
  void visit_leaves(const std::function<void(const Size& leaf)>& visit) const;

  /// As the plan language writes it. `operand`: in brackets unless it binds as tightly as a name.
  std::string to_text(bool operand = false) const;
  bool operator==(const Size& other) const { return to_text() == other.to_text(); }

  /// Nodes below this one, for bounds.
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

/// The quotient where `size` is a multiple of `divisor` by its form.
std::optional<Size> exact_quotient(const Size& size, std::int64_t divisor);

}  // namespace kw::import
