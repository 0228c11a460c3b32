// Values of a host function, and their arithmetic.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/characters.h"
#include "base/contains.h"
#include "import/host_values.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;
using Token = lex::Token;

constexpr std::size_t kHeaviest = 400;  // most nodes in the expression for one size

bool is_power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

}  // namespace

bool is_arithmetic(const Value& value) { return value.is(Kind::Int) || value.is(Kind::Real); }

bool is_same_value(const Value& a, const Value& b) {
  return a.kind == b.kind && a.buffer == b.buffer && a.word == b.word && a.size == b.size &&
         a.names == b.names && a.begin == b.begin && a.end == b.end && a.tokens == b.tokens &&
         a.depth == b.depth && std::ranges::equal(a.parts, b.parts, is_same_value) &&
         std::ranges::equal(a.captured, b.captured, is_same_value);
}

bool is_same_step(const Step& a, const Step& b) {
  return a.kind == b.kind && a.kernel == b.kernel && a.grid == b.grid && a.block == b.block &&
         a.shared == b.shared && a.templates == b.templates && a.fill == b.fill &&
         a.bytes == b.bytes && a.name == b.name && a.low == b.low && a.high == b.high &&
         a.stride == b.stride && is_same_value(a.target, b.target) &&
         is_same_value(a.source, b.source) &&
         std::ranges::equal(a.arguments, b.arguments, is_same_value);
}

/// Makes addresses of the caller's variables unknown, since the same names mean other variables in
/// the called function.
void hide_addresses(Value& value) {
  if (value.is(Kind::Reference)) {
    Value hidden;
    hidden.word = fmt::format("the plan drafter cannot tell what the address of '{}' is used for",
                              value.word);
    hidden.offset = value.offset;
    value = std::move(hidden);
  }
  for (Value& part : value.parts) hide_addresses(part);
}

Value unknown(std::size_t offset, std::string why) {
  Value value;
  value.word = std::move(why);
  value.offset = offset;
  return value;
}

Value integer(const Size& size) {
  Value value;
  if (size.weight() > kHeaviest) {
    value.word = "the expression of this size is too long for a launch plan";
    return value;
  }
  value.kind = Value::Kind::Int;
  value.size = size;
  return value;
}

Value real(const Size& size) {
  Value value = integer(size);
  if (value.is(Value::Kind::Int)) value.kind = Value::Kind::Real;
  return value;
}

Value text(std::string word) {
  Value value;
  value.kind = Value::Kind::Text;
  value.word = std::move(word);
  return value;
}

Value truth(const Value& value) {
  switch (value.kind) {
    case Kind::Pointer:
    case Kind::Tensor:
    case Kind::Host:
    case Kind::Lambda:
    case Kind::Kernel:
    case Kind::Reference:
      return integer(1);
    case Kind::Null:
      return integer(0);
    case Kind::Text:
      return value.word == "cudaSuccess"
                 ? integer(0)
                 : unknown(value.offset, "a launch plan cannot decide a condition by a text");
    case Kind::Real:
      return unknown(value.offset,
                     "a launch plan cannot decide a condition by a floating-point number");
    default:
      return value;
  }
}

/// One value that stands for `yes` where the condition holds and for `no` where it does not.
Value merged(const Value& condition, const Value& yes, const Value& no) {
  if (is_same_value(yes, no)) return no;
  if (yes.is(Kind::Unknown)) return yes;
  if (no.is(Kind::Unknown)) return no;
  if (!condition.is(Kind::Int)) return unknown(condition.offset, "depends on data");
  if (yes.is(Kind::Int) && no.is(Kind::Int))
    return integer(Size::choice(condition.size, yes.size, no.size));
  const bool has_parts = yes.is(Kind::Dim3) || yes.is(Kind::List) || yes.is(Kind::Struct);
  if (has_parts && yes.kind == no.kind && yes.parts.size() == no.parts.size() &&
      yes.names == no.names) {
    Value both = no;
    for (std::size_t i = 0; i < both.parts.size(); ++i)
      both.parts[i] = merged(condition, yes.parts[i], no.parts[i]);
    return both;
  }
  return unknown(condition.offset, "differs between two branches");
}

Value combine(const std::string& op, const Value& a, const Value& b, std::size_t offset) {
  if (a.is(Kind::Unknown)) return a;
  if (b.is(Kind::Unknown)) return b;
  const bool are_results = a.word.starts_with("cuda") && b.word.starts_with("cuda") &&
                           a.is(Kind::Text) && b.is(Kind::Text);
  if (a.is(Kind::Null) || b.is(Kind::Null) || are_results) {
    const bool is_same = a.kind == b.kind && a.word == b.word;
    if (op == "==") return integer(is_same);
    if (op == "!=") return integer(!is_same);
  }
  if (a.is(Kind::Host) && b.is(Kind::Int) && (op == "+" || op == "-")) return a;
  if (a.is(Kind::Pointer) && b.is(Kind::Int) && (op == "+" || op == "-")) {
    Value moved = a;
    const int bytes = a.word == "void" ? 1 : bytes_of_type(a.word);
    if (bytes == 0) return unknown(offset, fmt::format("the size of a '{}' is not known", a.word));
    moved.size = Size::binary(op, a.size, Size::binary("*", b.size, bytes));
    return moved;
  }
  if (!is_arithmetic(a) || !is_arithmetic(b))
    return unknown(offset, fmt::format("what the operator '{}' computes here is not known", op));
  if (a.is(Kind::Real) || b.is(Kind::Real)) {
    if (op == "/") return real(Size::binary("//", a.size, b.size));
    if (op == "+" || op == "-" || op == "*") return real(Size::binary(op, a.size, b.size));
    return unknown(offset, "a launch plan cannot compare floating-point numbers");
  }
  const auto right = b.size.number();
  // A shift or mask of a negative number is refused: it rounds down, but the plan's text would
  // round as C's division does.
  if ((op == ">>" || op == "&") && least(a.size).value_or(-1) < 0)
    return unknown(offset,
                   fmt::format("the operator '{}' is applied to a number that may be below 0", op));
  if ((op == "/" || op == "%") && least(b.size).value_or(-1) < 0)
    return unknown(offset, "the divisor of this division may be below 0");
  if (op == "<<" && right && *right >= 0 && *right < 62)
    return integer(Size::binary("*", a.size, std::int64_t{1} << *right));
  if (op == ">>" && right && *right >= 0 && *right < 62)
    return integer(Size::binary("/", a.size, std::int64_t{1} << *right));
  if (op == "&" && right) {
    // A mask such as ~31 with only its low bits clear rounds down to a multiple of a power of two.
    if (*right < 0 && *right > INT64_MIN && is_power_of_two(-*right))
      return integer(Size::binary("*", Size::binary("/", a.size, -*right), -*right));
    if (*right >= 0 && *right < INT64_MAX && is_power_of_two(*right + 1))
      return integer(Size::binary("%", a.size, *right + 1));
  }
  if (op == "&" || op == "|" || op == "^" || op == "<<" || op == ">>")
    return unknown(offset, fmt::format("expressions of a launch plan have no operator '{}'", op));
  return integer(Size::binary(op, a.size, b.size));
}

Value number_of(const Token& token) {
  std::string digits;
  for (const char c : token.text)
    if (c != '\'') digits += c;
  const auto refused = [&] {
    return unknown(token.offset,
                   fmt::format("the number '{}' does not fit into 64 bits", digits.substr(0, 40)));
  };
  const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
  const bool is_binary = digits.starts_with("0b") || digits.starts_with("0B");
  if (!is_hex && digits.find_first_of(".eEfF") != std::string::npos) {
    while (!digits.empty() && !is_digit(digits.back()) && digits.back() != '.') digits.pop_back();
    if (digits.find_first_not_of("0123456789.eE+-") != std::string::npos ||
        token.text.contains('_'))
      return refused();
    if (digits.ends_with('.')) digits += '0';
    if (digits.starts_with('.')) digits = "0" + digits;
    return real(Size::text(digits));
  }
  const bool is_octal = !is_hex && !is_binary && digits.starts_with('0');
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data() + (is_hex || is_binary ? 2 : 0), end, value,
                                    is_hex      ? 16
                                    : is_binary ? 2
                                    : is_octal  ? 8
                                                : 10);
  const std::string_view suffix(read.ptr, end);
  if (read.ec != std::errc() || suffix.find_first_not_of("uUlLzZ") != std::string_view::npos)
    return refused();
  return integer(value);
}

}  // namespace kw::import
