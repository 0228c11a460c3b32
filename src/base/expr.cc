// Evaluates and prints expressions; expr_parse.cc reads them.
// SPDX-License-Identifier: Apache-2.0
#include "base/expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "base/text.h"
#include "base/with_nearest.h"

namespace kw {

using expr::Node;
using expr::Op;

namespace {

using Value = std::expected<std::int64_t, ExprError>;

constexpr auto kLowest = std::numeric_limits<std::int64_t>::min();

Value error(std::size_t offset, About about, std::string message) {
  return std::unexpected(ExprError{offset, std::move(message), std::move(about.value)});
}

ExprError unknown_name(std::size_t offset, std::string_view name,
                       std::span<const std::string> known) {
  return {offset, fmt::format("unknown name '{}'{}", name, suggestion(name, known)),
          with_nearest(name, known)};
}

}  // namespace

/// Evaluates nodes recursively; the bound on the tree's height bounds the use of the stack.
class Expr::Evaluator {
 public:
  Evaluator(const Expr& expr, const Names& names) : expr_(expr), names_(names) {}

  Value value(std::size_t index) const {
    const Node& node = expr_.nodes_[index];
    switch (node.op) {
      case Op::Literal:
        return node.value;
      case Op::Name:
        return lookup(node);
      case Op::And:
      case Op::Or:
        return logical(node);
      case Op::Choose: {
        const Value condition = value(node.child[0]);
        if (!condition) return condition;
        return value(node.child[*condition != 0 ? 1 : 2]);
      }
      default:
        return arithmetic(node);
    }
  }

 private:
  Value lookup(const Node& node) const {
    const auto& name = expr_.names_[static_cast<std::size_t>(node.value)];
    if (const auto found = names_.find(name); found != names_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [key, unused] : names_) known.push_back(key);
    return std::unexpected(unknown_name(node.offset, name, known));
  }

  Value logical(const Node& node) const {
    const Value left = value(node.child[0]);
    if (!left) return left;
    if ((*left != 0) == (node.op == Op::Or)) return node.op == Op::Or ? 1 : 0;
    const Value right = value(node.child[1]);
    if (!right) return right;
    return *right != 0 ? 1 : 0;
  }

  Value arithmetic(const Node& node) const {
    const Value left = value(node.child[0]);
    if (!left) return left;
    if (expr::info(node.op).arity == 1) return unary(node, *left);
    const Value right = value(node.child[1]);
    if (!right) return right;
    return binary(node, *left, *right);
  }

  static Value unary(const Node& node, std::int64_t a) {
    switch (node.op) {
      case Op::Negate:
      case Op::Abs:
        if (a == kLowest)
          return error(node.offset, About{"overflow"},
                       "the result of this expression does not fit into a 64-bit integer");
        return node.op == Op::Negate || a < 0 ? -a : a;
      case Op::Not:
        return a == 0 ? 1 : 0;
      case Op::IsPow2:
        return a > 0 && std::has_single_bit(static_cast<std::uint64_t>(a)) ? 1 : 0;
      case Op::Log2Floor:
        if (a <= 0)
          return error(node.offset, About{"log2_floor"}, "log2_floor needs a positive number");
        return std::bit_width(static_cast<std::uint64_t>(a)) - 1;
      default:
        panic("a unary operation");
    }
  }

  static Value binary(const Node& node, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    bool overflow = false;
    switch (node.op) {
      case Op::Add:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
      case Op::Subtract:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
      case Op::Multiply:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
      case Op::Divide:
      case Op::Modulo:
      case Op::CeilDiv:
      case Op::AlignUp:
        return divide(node, a, b);
      case Op::Min:
        return a < b ? a : b;
      case Op::Max:
        return a < b ? b : a;
      case Op::Less:
        return a < b;
      case Op::LessEqual:
        return a <= b;
      case Op::Greater:
        return a > b;
      case Op::GreaterEqual:
        return a >= b;
      case Op::Equal:
        return a == b;
      case Op::NotEqual:
        return a != b;
      default:
        panic("a binary operation");
    }
    if (overflow)
      return error(node.offset, About{"overflow"},
                   "the result of this expression does not fit into a 64-bit integer");
    return result;
  }

  static Value divide(const Node& node, std::int64_t a, std::int64_t b) {
    if (b == 0)
      return error(node.offset, About{"divides by zero"}, "this expression divides by zero");
    if (node.op == Op::AlignUp && b < 0)
      return error(node.offset, About{"align_up"},
                   fmt::format("align_up needs a positive multiple, not {}", b));
    if (b == -1) {  // the one divisor whose quotient can overflow and whose remainder can trap
      if (node.op == Op::Modulo) return 0;
      if (a == kLowest)
        return error(node.offset, About{"overflow"},
                     "the result of this expression does not fit into a 64-bit integer");
      return -a;
    }
    // C rounds toward zero; the language rounds down, so that the remainder has the sign of b.
    const bool rounds = a % b != 0 && (a < 0) != (b < 0);
    const std::int64_t down = a / b - (rounds ? 1 : 0);
    const std::int64_t remainder = a % b + (rounds ? b : 0);
    if (node.op == Op::Divide) return down;
    if (node.op == Op::Modulo) return remainder;
    if (node.op == Op::CeilDiv) return down + (remainder != 0 ? 1 : 0);
    std::int64_t result = a;
    if (remainder != 0 && __builtin_add_overflow(a, b - remainder, &result))
      return error(node.offset, About{"overflow"},
                   "the result of this expression does not fit into a 64-bit integer");
    return result;
  }

  const Expr& expr_;
  const Names& names_;
};

Expr Expr::literal(std::int64_t value) {
  Expr expr;
  expr.text_ = std::to_string(value);
  expr.nodes_.back().value = value;
  return expr;
}

std::expected<std::int64_t, ExprError> Expr::evaluate(const Names& names) const {
  return Evaluator(*this, names).value(nodes_.size() - 1);
}

std::expected<void, ExprError> Expr::check_names(std::span<const std::string> known) const {
  for (const Node& node : nodes_) {
    if (node.op != Op::Name) continue;
    const auto& name = names_[static_cast<std::size_t>(node.value)];
    if (std::ranges::find(known, name) == known.end())
      return std::unexpected(unknown_name(node.offset, name, known));
  }
  return {};
}

std::string Expr::print() const {
  std::string out;
  print_node(nodes_.size() - 1, 0, out);
  return out;
}

void Expr::print_node(std::size_t index, int parent_rank, std::string& out) const {
  const Node& node = nodes_[index];
  const auto& info = expr::info(node.op);
  if (node.op == Op::Literal) {
    out += std::to_string(node.value);
    return;
  }
  if (node.op == Op::Name) {
    out += names_[static_cast<std::size_t>(node.value)];
    return;
  }
  if (info.rank == expr::kFunction) {
    out += fmt::format("{}(", info.symbol);
    for (std::size_t i = 0; i < info.arity; ++i) {
      if (i > 0) out += ", ";
      print_node(node.child[i], 0, out);
    }
    out += ')';
    return;
  }
  const bool parenthesised = info.rank < parent_rank;
  if (parenthesised) out += '(';
  if (node.op == Op::Choose) {
    print_node(node.child[0], info.rank + 1, out);
    out += " ? ";
    print_node(node.child[1], 0, out);
    out += " : ";
    print_node(node.child[2], info.rank, out);
  } else if (info.arity == 1) {
    out += info.symbol;
    // "-5" parses as one literal, so the negation of a literal keeps its parentheses.
    const bool literal = node.op == Op::Negate && nodes_[node.child[0]].op == Op::Literal;
    if (literal) out += '(';
    print_node(node.child[0], info.rank, out);
    if (literal) out += ')';
  } else {
    // Operators group to the left; comparisons do not group at all.
    print_node(node.child[0], info.rank + (info.rank == expr::kCompare ? 1 : 0), out);
    out += fmt::format(" {} ", info.symbol);
    print_node(node.child[1], info.rank + 1, out);
  }
  if (parenthesised) out += ')';
}

Result<std::int64_t> evaluate_text(std::string_view text, const Names& names) {
  const auto describe_error = [&](const ExprError& e) {
    return fail(ErrorCode::BadInput, About{e.about},
                fmt::format("{} in '{}'", e.message, sanitise(text, 80)),
                fmt::format("column {}", position_of(text, e.offset).column));
  };
  const auto expr = Expr::parse(text);
  if (!expr) return describe_error(expr.error());
  const auto value = expr->evaluate(names);
  if (!value) return describe_error(value.error());
  return *value;
}

}  // namespace kw
