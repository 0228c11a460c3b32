// Folds constants in sizes, recognises rounding up, and writes sizes as text.
// SPDX-License-Identifier: Apache-2.0
#include "import/size.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include "base/characters.h"

namespace kw::import {
namespace {

/// A sum, split into its constant and its other terms.
struct Terms {
  std::int64_t constant = 0;
  std::vector<std::pair<Size, bool>> others;  ///< The other terms, with whether each is subtracted.
};

constexpr std::size_t kMostTerms = 32;

void gather(const Size& size, bool is_subtracted, Terms& terms) {
  if (size.op() == Size::Op::Number) {
    const std::int64_t value = *size.number();
    std::int64_t sum = 0;
    const bool is_too_large = is_subtracted ? __builtin_sub_overflow(terms.constant, value, &sum)
                                            : __builtin_add_overflow(terms.constant, value, &sum);
    if (is_too_large)
      terms.others.emplace_back(size, is_subtracted);
    else
      terms.constant = sum;
    return;
  }
  const bool is_sum = size.op() == Size::Op::Binary && (size.word() == "+" || size.word() == "-");
  if (!is_sum || terms.others.size() > kMostTerms) {
    // A term that is both added and subtracted cancels out.
    const auto twin = std::ranges::find_if(terms.others, [&](const auto& other) {
      return other.second != is_subtracted && other.first == size;
    });
    if (twin != terms.others.end())
      terms.others.erase(twin);
    else
      terms.others.emplace_back(size, is_subtracted);
    return;
  }
  gather(size.parts()[0], is_subtracted, terms);
  gather(size.parts()[1], is_subtracted != (size.word() == "-"), terms);
}

std::optional<std::int64_t> fold(const std::string& op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (op == "+")
    return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "-")
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "*")
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "/") return a > INT64_MIN && b != 0 ? std::optional(a / b) : std::nullopt;
  if (op == "%") return a > INT64_MIN && b != 0 ? std::optional(a % b) : std::nullopt;
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "&&") return a != 0 && b != 0;
  if (op == "||") return a != 0 || b != 0;
  return std::nullopt;
}

/// The sum of the terms, without a constant.
Size sum_of(const std::vector<std::pair<Size, bool>>& others) {
  std::optional<Size> sum;
  for (const bool is_subtracted : {false, true})
    for (const auto& [size, subtracted] : others)
      if (subtracted == is_subtracted)
        sum = sum ? Size::binary(is_subtracted ? "-" : "+", *sum, size)
                  : (is_subtracted ? Size::unary("-", size) : size);
  return sum.value_or(Size(0));
}

/// The size a if `numerator` has the form a + b - 1, where b is the divisor; nothing otherwise.
std::optional<Size> rounded_up(const Size& numerator, const Size& divisor) {
  Terms terms;
  gather(numerator, false, terms);
  if (const auto d = divisor.op() == Size::Op::Number ? divisor.number() : std::nullopt) {
    if (*d > 1 && terms.constant == *d - 1 && !terms.others.empty()) return sum_of(terms.others);
    return std::nullopt;
  }
  if (terms.constant != -1) return std::nullopt;
  const auto same = std::ranges::find_if(
      terms.others, [&](const auto& other) { return !other.second && other.first == divisor; });
  if (same == terms.others.end() || terms.others.size() < 2) return std::nullopt;
  terms.others.erase(same);
  return sum_of(terms.others);
}

/// The size `ceil_div(a, b)` if the sum has the form (a - 1) / b + 1; nothing otherwise.
std::optional<Size> one_more(const Size& quotient, const Size& one) {
  if (one.op() != Size::Op::Number || !one.is(1) || quotient.op() != Size::Op::Binary ||
      quotient.word() != "/")
    return std::nullopt;
  Terms terms;
  gather(quotient.parts()[0], false, terms);
  if (terms.constant != -1 || terms.others.empty()) return std::nullopt;
  const Size whole = sum_of(terms.others);
  // The form (a - 1) / b + 1 equals ceil_div(a, b) only for a of at least 1: C rounds a negative
  // quotient towards zero.
  if (least(whole).value_or(0) < 1) return std::nullopt;
  return Size::call("ceil_div", {whole, quotient.parts()[1]});
}

int level_of(const std::string& op) {
  if (op == "||") return 1;
  if (op == "&&") return 2;
  if (op == "+" || op == "-") return 4;
  if (op == "*" || op == "/" || op == "%" || op == "//") return 5;
  return 3;
}

constexpr int kUnaryLevel = 6;
constexpr int kNameLevel = 7;

}  // namespace

Size::Size(std::int64_t value) {
  Node node;
  node.value = value;
  node_ = std::make_shared<const Node>(std::move(node));
}

Size Size::make(Op op, std::string word, std::vector<Size> parts) {
  Node node;
  node.op = op;
  node.word = std::move(word);
  for (const Size& part : parts) node.weight += part.weight();
  node.parts = std::move(parts);
  Size size(0);
  size.node_ = std::make_shared<const Node>(std::move(node));
  return size;
}

Size Size::name(std::string name) { return make(Op::Name, std::move(name), {}); }
Size Size::named(std::string name, const Size& value) {
  return make(Op::Named, std::move(name), {value});
}
Size Size::text(std::string text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!text.empty() && read.ec == std::errc() && read.ptr == text.data() + text.size())
    return number;
  const bool is_name = !text.empty() && is_name_start(text[0]) &&
                       std::ranges::all_of(text, [](char c) { return is_name_char(c); });
  return is_name ? name(std::move(text)) : make(Op::Text, std::move(text), {});
}

std::optional<std::int64_t> Size::number() const {
  if (op() == Op::Number) return node_->value;
  return op() == Op::Named ? parts()[0].number() : std::nullopt;
}

Size Size::unary(const std::string& op, const Size& a) {
  if (a.op() == Op::Number) {
    if (op == "!") return *a.number() == 0;
    if (op == "-" && *a.number() != INT64_MIN) return -*a.number();
  }
  return make(Op::Unary, op, {a});
}

Size Size::binary(const std::string& op, const Size& a, const Size& b) {
  if (a.op() == Op::Number && b.op() == Op::Number)
    if (const auto value = fold(op, *a.number(), *b.number())) return *value;
  const auto is_number = [](const Size& size, std::int64_t value) {
    return size.op() == Op::Number && size.is(value);
  };
  if (op == "+" && is_number(a, 0)) return b;
  if ((op == "+" || op == "-") && is_number(b, 0)) return a;
  if ((op == "*" || op == "/") && is_number(b, 1)) return a;
  if (op == "*" && is_number(a, 1)) return b;
  if (op == "*" && (is_number(a, 0) || is_number(b, 0))) return 0;
  const auto is_truth = [](const Size& size) {
    return least(size).value_or(-1) >= 0 && greatest(size).value_or(2) <= 1;
  };
  if ((op == "||" && is_number(b, 0) && is_truth(a)) ||
      (op == "&&" && is_number(b, 1) && is_truth(a)))
    return a;
  if ((op == "||" && is_number(a, 0) && is_truth(b)) ||
      (op == "&&" && is_number(a, 1) && is_truth(b)))
    return b;
  if ((op == "&&" && (is_number(a, 0) || is_number(b, 0)))) return 0;
  if ((op == "==" || op == "<=" || op == ">=") && a == b) return 1;
  if ((op == "!=" || op == "<" || op == ">") && a == b) return 0;
  if (op == "*" && b.op() == Op::Number && a.op() == Op::Binary && a.word() == "*" &&
      a.parts()[1].op() == Op::Number)
    if (const auto both = fold("*", *a.parts()[1].number(), *b.number()))
      return binary("*", a.parts()[0], *both);
  if (op == "/" && a.op() == Op::Binary && a.word() == "*") {
    if (a.parts()[1] == b) return a.parts()[0];
    if (a.parts()[0] == b) return a.parts()[1];
  }
  if (op == "/") {
    if (auto whole = rounded_up(a, b)) return call("ceil_div", {*whole, b});
    if (b.op() == Op::Number)
      if (auto quotient = exact_quotient(a, *b.number())) return *quotient;
  }
  if (op == "+") {
    if (auto rounded = one_more(a, b)) return *rounded;
    if (auto rounded = one_more(b, a)) return *rounded;
  }
  if ((op == "+" || op == "-") && b.op() == Op::Number && a.op() == Op::Binary &&
      (a.word() == "+" || a.word() == "-") && a.parts()[1].op() == Op::Number) {
    // Joins the constants of nested sums and the like: (a + 256) - 1 becomes a + 255.
    const auto inner = fold(a.word(), 0, *a.parts()[1].number());
    const auto both = inner ? fold(op, *inner, *b.number()) : std::nullopt;
    if (both && *both != INT64_MIN)
      return *both < 0 ? binary("-", a.parts()[0], -*both) : binary("+", a.parts()[0], *both);
  }
  return make(Op::Binary, op, {a, b});
}

Size Size::choice(const Size& condition, const Size& yes, const Size& no) {
  if (condition.op() == Op::Number) return *condition.number() != 0 ? yes : no;
  const bool is_truth = least(condition) == 0 && greatest(condition) == 1;
  if (is_truth && yes.op() == Op::Number && no.op() == Op::Number) {
    if (yes.is(1) && no.is(0)) return condition;
    if (yes.is(0) && no.is(1)) return opposite(condition);
  }
  if (condition.op() == Op::Binary) {
    // The choice `a > c ? c : a` is the minimum of a and c.
    const auto& [a, c] = std::tie(condition.parts()[0], condition.parts()[1]);
    const std::string& op = condition.word();
    const bool is_greater = op == ">" || op == ">=";
    const bool is_less = op == "<" || op == "<=";
    if ((is_greater && yes == c && no == a) || (is_less && yes == a && no == c))
      return call("min", {a, c});
    if ((is_greater && yes == a && no == c) || (is_less && yes == c && no == a))
      return call("max", {a, c});
    // The choice `a % b != 0 ? a / b + 1 : a / b` is ceil_div(a, b).
    const bool is_uneven = op == "!=";
    if ((is_uneven || op == "==") && c.is(0) && a.op() == Op::Binary && a.word() == "%") {
      const Size down = make(Op::Binary, "/", a.parts());
      if ((is_uneven ? no : yes) == down &&
          (is_uneven ? yes : no) == make(Op::Binary, "+", {down, 1}))
        return call("ceil_div", a.parts());
    }
  }
  return make(Op::Choice, "", {condition, yes, no});
}

Size Size::call(const std::string& function, std::vector<Size> arguments) {
  const auto is_known = [](const Size& size) { return size.op() == Op::Number; };
  if (arguments.size() == 2 && std::ranges::all_of(arguments, is_known)) {
    const std::int64_t a = *arguments[0].number();
    const std::int64_t b = *arguments[1].number();
    if (function == "min") return std::min(a, b);
    if (function == "max") return std::max(a, b);
    if (function == "ceil_div" && a >= 0 && b > 0) return a / b + (a % b != 0);
  }
  if (function == "ceil_div" && arguments.size() == 2 && is_known(arguments[1]) &&
      arguments[1].is(1))
    return arguments[0];
  return make(Op::Call, function, std::move(arguments));
}

Size Size::replaced(const Replace& replace) const {
  if (op() == Op::Name || op() == Op::Named) {
    if (auto other = replace(*this)) return *other;
    return op() == Op::Named ? parts()[0].replaced(replace) : *this;
  }
  std::vector<Size> fresh;
  for (const Size& part : parts()) fresh.push_back(part.replaced(replace));
  switch (op()) {
    case Op::Unary:
      return unary(word(), fresh[0]);
    case Op::Binary:
      return binary(word(), fresh[0], fresh[1]);
    case Op::Choice:
      return choice(fresh[0], fresh[1], fresh[2]);
    case Op::Call:
      return call(word(), std::move(fresh));
    default:
      return *this;
  }
}

void Size::visit_leaves(const std::function<void(const Size&)>& visit) const {
  if (op() == Op::Name || op() == Op::Named) visit(*this);
  for (const Size& part : parts()) part.visit_leaves(visit);
}

void Size::write(std::string& text, int level) const {
  const auto bracketed = [&](int own, const auto& inner) {
    if (own < level) text += '(';
    inner();
    if (own < level) text += ')';
  };
  switch (op()) {
    case Op::Number:
      return bracketed(node_->value < 0 ? kUnaryLevel : kNameLevel,
                       [&] { text += std::to_string(node_->value); });
    case Op::Name:
    case Op::Named:
      text += word();
      return;
    case Op::Text:
      return bracketed(0, [&] { text += word(); });
    case Op::Unary:
      return bracketed(kUnaryLevel, [&] {
        text += word();
        parts()[0].write(text, kNameLevel);
      });
    case Op::Binary: {
      const int own = level_of(word());
      return bracketed(own, [&] {
        parts()[0].write(text, own == 3 ? own + 1 : own);
        text += fmt::format(" {} ", word() == "//" ? "/" : word());
        parts()[1].write(text, own + 1);
      });
    }
    case Op::Choice:
      return bracketed(0, [&] {
        parts()[0].write(text, 1);
        text += " ? ";
        parts()[1].write(text, 1);
        text += " : ";
        parts()[2].write(text, 1);
      });
    case Op::Call:
      text += word() + "(";
      for (std::size_t i = 0; i < parts().size(); ++i) {
        if (i > 0) text += ", ";
        parts()[i].write(text, 0);
      }
      text += ')';
  }
}

std::string Size::to_text(bool operand) const {
  std::string text;
  write(text, operand ? kNameLevel : 0);
  return text;
}

std::optional<Size> exact_quotient(const Size& size, std::int64_t divisor) {
  if (divisor == 1) return size;
  // Only a literal number is divided here. The value of a named constant is not used, since the
  // constant may turn out to be a size of the task.
  if (size.op() == Size::Op::Number && divisor > 0 && *size.number() % divisor == 0)
    return *size.number() / divisor;
  if (size.op() != Size::Op::Binary) return std::nullopt;
  const auto& parts = size.parts();
  if (size.word() == "+" || size.word() == "-") {
    const auto left = exact_quotient(parts[0], divisor);
    const auto right = left ? exact_quotient(parts[1], divisor) : std::nullopt;
    return right ? std::optional(Size::binary(size.word(), *left, *right)) : std::nullopt;
  }
  if (size.word() != "*") return std::nullopt;
  if (const auto left = exact_quotient(parts[0], divisor))
    return Size::binary("*", *left, parts[1]);
  if (const auto right = exact_quotient(parts[1], divisor))
    return Size::binary("*", parts[0], *right);
  return std::nullopt;
}

}  // namespace kw::import
