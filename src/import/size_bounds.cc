// Finds bounds of sizes from their form, compares sizes, and writes C's division.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "import/size.h"

namespace kw::import {
namespace {

using Bound = std::optional<std::int64_t>;

Bound sum(const Bound& a, const Bound& b) {
  std::int64_t result = 0;
  return a && b && !__builtin_add_overflow(*a, *b, &result) ? Bound(result) : std::nullopt;
}

Bound product(const Bound& a, const Bound& b) {
  std::int64_t result = 0;
  return a && b && !__builtin_mul_overflow(*a, *b, &result) ? Bound(result) : std::nullopt;
}

Bound negative(const Bound& a) { return a && *a != INT64_MIN ? Bound(-*a) : std::nullopt; }

bool is_comparison(const std::string& op) {
  static constexpr auto kSigns = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"};
  return std::ranges::find(kSigns, op) != std::end(kSigns);
}

/// The bound of an expression that is either `a` or `b`: the looser of both bounds.
Bound looser(const Bound& a, const Bound& b, bool is_least) {
  if (!a || !b) return std::nullopt;
  return is_least ? std::min(*a, *b) : std::max(*a, *b);
}

bool is_quotient(const Size& size) {
  if (size.op() == Size::Op::Call) return size.word() == "ceil_div";
  return size.op() == Size::Op::Binary && (size.word() == "/" || size.word() == "%");
}

Bound least_of_binary(const Size& size) {
  const Size& a = size.parts()[0];
  const Size& b = size.parts()[1];
  const std::string& op = size.word();
  if (is_comparison(op)) return 0;
  if (op == "+") return sum(least(a), least(b));
  if (op == "-") return sum(least(a), negative(greatest(b)));
  const bool is_positive = least(a).value_or(-1) >= 0 && least(b).value_or(-1) >= 0;
  if (!is_positive) return std::nullopt;
  if (op == "*") return product(least(a), least(b));
  return op == "/" || op == "%" ? Bound(0) : std::nullopt;
}

/// The factors of a product: its non-numeric factors, sorted so that equal products give equal
/// lists, and the product of its numbers.
std::pair<std::vector<std::string>, Bound> factors(const Size& size) {
  if (const auto number = size.number()) return {{}, number};
  if (size.op() != Size::Op::Binary || size.word() != "*") return {{size.to_text()}, 1};
  auto [left, a] = factors(size.parts()[0]);
  const auto [right, b] = factors(size.parts()[1]);
  left.insert(left.end(), right.begin(), right.end());
  std::ranges::sort(left);
  return {std::move(left), product(a, b)};
}

}  // namespace

bool Size::operator==(const Size& other) const {
  if (node_ == other.node_) return true;
  if (op() != other.op() || node_->value != other.node_->value || weight() != other.weight())
    return false;
  return word() == other.word() && std::ranges::equal(parts(), other.parts());
}

Size Size::opposite(const Size& condition) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOpposites = {
      {{"==", "!="}, {"!=", "=="}, {"<", ">="}, {">=", "<"}, {">", "<="}, {"<=", ">"}}};
  if (condition.op() == Op::Unary && condition.word() == "!") return condition.parts()[0];
  if (condition.op() == Op::Binary)
    for (const auto& [sign, other] : kOpposites)
      if (condition.word() == sign)
        return binary(std::string(other), condition.parts()[0], condition.parts()[1]);
  return unary("!", condition);
}

Bound least(const Size& size) {
  if (const auto number = size.number()) return number;
  switch (size.op()) {
    case Size::Op::Name:
      return size.word().starts_with('%') ? 0 : 1;
    case Size::Op::Named:
      return least(size.parts()[0]);
    case Size::Op::Unary:
      return size.word() == "-" ? negative(greatest(size.parts()[0])) : Bound(0);
    case Size::Op::Binary:
      return least_of_binary(size);
    case Size::Op::Choice:
      return looser(least(size.parts()[1]), least(size.parts()[2]), true);
    case Size::Op::Call: {
      if (size.word() == "abs") return 0;
      if (size.parts().size() != 2) return std::nullopt;
      const Bound a = least(size.parts()[0]);
      const Bound b = least(size.parts()[1]);
      if (size.word() == "min") return looser(a, b, true);
      if (size.word() == "max") return a && b ? std::max(*a, *b) : a ? a : b;
      if (size.word() == "ceil_div" && a && *a >= 0) return *a > 0 ? 1 : 0;
      return std::nullopt;
    }
    case Size::Op::Text:
      return 1;  // an extent of the task
    default:
      return std::nullopt;
  }
}

Bound greatest(const Size& size) {
  if (const auto number = size.number()) return number;
  switch (size.op()) {
    case Size::Op::Named:
      return greatest(size.parts()[0]);
    case Size::Op::Unary:
      return size.word() == "-" ? negative(least(size.parts()[0])) : Bound(1);
    case Size::Op::Binary: {
      const Size& a = size.parts()[0];
      const Size& b = size.parts()[1];
      if (is_comparison(size.word())) return 1;
      if (size.word() == "+") return sum(greatest(a), greatest(b));
      if (size.word() == "-") return sum(greatest(a), negative(least(b)));
      if (size.word() == "%" && b.number() && *b.number() > 0) return *b.number() - 1;
      const bool is_positive = least(a).value_or(-1) >= 0 && least(b).value_or(-1) >= 0;
      if (is_positive && size.word() == "*") return product(greatest(a), greatest(b));
      return is_positive && size.word() == "/" ? greatest(a) : std::nullopt;
    }
    case Size::Op::Choice:
      return looser(greatest(size.parts()[1]), greatest(size.parts()[2]), false);
    case Size::Op::Call: {
      if (size.parts().size() != 2) return std::nullopt;
      const Bound a = greatest(size.parts()[0]);
      const Bound b = greatest(size.parts()[1]);
      if (size.word() == "max") return looser(a, b, false);
      if (size.word() == "min") return a && b ? std::min(*a, *b) : a ? a : b;
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

bool is_same_amount(const Size& a, const Size& b) {
  if (a == b) return true;
  const auto [left, x] = factors(a);
  const auto [right, y] = factors(b);
  return x && y && x == y && left == right;
}

Size with_division_of_c(const Size& size, bool is_extent) {
  const bool is_product = size.op() == Size::Op::Binary && size.word() == "*";
  const bool stays = is_extent && (is_product || (is_quotient(size) && size.word() != "%"));
  std::vector<Size> parts;
  for (const Size& part : size.parts())
    parts.push_back(with_division_of_c(part, stays && is_product));
  Size fresh = size;
  switch (size.op()) {
    case Size::Op::Unary:
      fresh = Size::unary(size.word(), parts[0]);
      break;
    case Size::Op::Binary:
      fresh = Size::binary(size.word(), parts[0], parts[1]);
      break;
    case Size::Op::Choice:
      fresh = Size::choice(parts[0], parts[1], parts[2]);
      break;
    case Size::Op::Call:
      fresh = Size::call(size.word(), parts);
      break;
    default:
      return size;
  }
  if (stays || !is_quotient(fresh) || least(fresh.parts()[0]).value_or(-1) >= 0) return fresh;
  // For a negative numerator a, C's a / b equals -((-a) / b).
  const bool is_up = fresh.word() == "ceil_div";
  const Size& divisor = fresh.parts()[1];
  const Size top =
      is_up ? Size::binary("-", Size::binary("+", fresh.parts()[0], divisor), 1) : fresh.parts()[0];
  const std::string op = is_up ? "/" : fresh.word();
  const Size amount = Size::unary("-", top);
  const Size below = Size::unary("-", Size::binary(op, amount, divisor));
  return Size::choice(Size::binary(">=", top, 0), fresh, below);
}

}  // namespace kw::import
