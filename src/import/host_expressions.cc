// Evaluates expressions of a host function to sizes, pointers, and other arguments of launches.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "base/characters.h"
#include "base/contains.h"
#include "import/host_reader.h"

namespace kw::import {

namespace {

constexpr int kDeepestExpressions = 120;

using Kind = Value::Kind;

/// C's binary operators, from the loosest to the tightest.
constexpr std::array<std::array<std::string_view, 4>, 10> kLevels = {{
    {"||"},
    {"&&"},
    {"|"},
    {"^"},
    {"&"},
    {"==", "!="},
    {"<", ">", "<=", ">="},
    {"<<", ">>"},
    {"+", "-"},
    {"*", "/", "%"},
}};

bool is_power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

bool is_arithmetic(const Value& value) { return value.is(Kind::Int) || value.is(Kind::Real); }

}  // namespace

Value HostReader::evaluate(std::size_t begin, std::size_t end) {
  const std::size_t at = at_;
  const std::size_t stop = end_;
  at_ = begin;
  end_ = end;
  followed_.erase(followed_.lower_bound({tokens_, begin}), followed_.lower_bound({tokens_, end}));
  Value value = begin < end && spend() && depth_ < kDeepestExpressions ? assignment()
                                                                       : unknown(place(begin), "");
  if (at_ < end_) {
    if (!value.is(Kind::Unknown) || value.word.empty())
      value = unknown(place(at_), "the plan drafter cannot evaluate this expression");
    if (may_work(*tokens_, at_, end_))
      miss(place(at_), "the plan drafter cannot follow this expression, which may launch kernels");
    forget_written(at_, end_, place(at_), "may change in an expression that cannot be followed");
  }
  forget_unfollowed(begin, end);
  at_ = at;
  end_ = stop;
  return value;
}

Value HostReader::assignment() {
  Value value;
  if (depth_ >= kDeepestExpressions || !spend())
    return unknown(place(at_), "this expression is nested too deeply for the plan drafter");
  ++depth_;
  if (!assign_here(value)) value = conditional();
  --depth_;
  return value;
}

Value HostReader::binary(int level) {
  if (level >= static_cast<int>(kLevels.size())) return unary();
  Value left = binary(level + 1);
  while (at_ < end_) {
    const Token& token = at(at_);
    const auto& signs = kLevels[static_cast<std::size_t>(level)];
    if (token.kind != Token::Kind::Symbol || std::ranges::find(signs, token.text) == signs.end())
      break;
    if (after_launch_open(*tokens_, at_) != 0 || !spend()) break;
    const std::string op(token.text);
    const std::size_t offset = token.offset;
    ++at_;
    const std::size_t from = at_;
    if (op == "&&" || op == "||") {
      const Value first = truth(left);
      const Value second = truth(only_if(first, op == "&&", [&] { return binary(level + 1); }));
      const auto known = decided(first);
      const bool is_settled = known && (*known != 0) == (op == "||");
      left = is_settled ? integer(op == "||") : combine(op, first, second, offset);
      continue;
    }
    const Value right = binary(level + 1);
    // In `stream >> name` the variable changes, so its value becomes unknown.
    if (op == ">>" && !is_arithmetic(left))
      forget_written(from - 1, at_, offset, "is read from a stream here");
    left = combine(op, left, right, offset);
  }
  return left;
}

Value HostReader::combine(const std::string& op, const Value& a, const Value& b,
                          std::size_t offset) {
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

Value HostReader::unary() {
  const Token token = at(at_);
  if (at_ >= end_)
    return unknown(place(at_), "an expression is missing at this place of the host code");
  if (depth_ >= kDeepestExpressions || !spend())
    return unknown(token.offset, "this expression is nested too deeply for the plan drafter");
  ++depth_;
  Value value;
  if (token.is("!") || token.is("-") || token.is("~") || token.is("+")) {
    ++at_;
    value = unary();
    if (token.is("!")) value = truth(value);
    if (token.is("~")) {
      const auto known = value.is(Kind::Int) ? value.size.number() : std::nullopt;
      value = known ? integer(~*known)
                    : unknown(token.offset, "expressions of a launch plan have no operator '~'");
    } else if (!token.is("+") && is_arithmetic(value)) {
      const Size size = Size::unary(std::string(token.text), value.size);
      value = value.is(Kind::Int) ? integer(size) : real(size);
    }
  } else if (token.is("&")) {
    value = address_of();
  } else if (token.is("*")) {
    ++at_;
    value = unary();
    if (value.is(Kind::Reference)) {
      const Value* variable = referred(value);
      value = variable != nullptr
                  ? *variable
                  : unknown(token.offset, "what this pointer points to is not known");
    } else if (!value.is(Kind::Unknown)) {
      value = unknown(token.offset, "what this memory holds is not known before the plan runs");
    }
  } else if (token.is("++") || token.is("--")) {
    const std::size_t sign = at_;
    ++at_;
    value = combine(token.is("++") ? "+" : "-", unary(), integer(1), token.offset);
    assign(sign + 1, at_, value, sign);
  } else if (token.is("sizeof")) {
    value = size_of();
  } else if (token.is("new")) {
    const std::size_t from = at_;
    while (at_ < end_ && !at(at_).is(";")) {
      if (at(at_).is("(") || at(at_).is("[") || at(at_).is("{")) at_ = std::min(closing(at_), end_);
      if (at_ < end_) ++at_;
    }
    forget_written(from, at_, token.offset, "may be changed by this `new`");
    value.kind = Kind::Host;
  } else {
    // The parenthesis may begin a cast: (type) expression.
    TypeAt type;
    std::size_t close = at_;
    if (token.is("(")) {
      close = closing(at_);
      type = type_at(at_ + 1, close);
    }
    const bool is_type = type.end == close && close + 1 < end_ && token.is("(") &&
                         (type.stars > 0 || bytes_of_type(type.type) > 0 || type.type == "void");
    if (is_type) {
      at_ = close + 1;
      value = cast(type, unary(), token.offset);
    } else {
      value = postfix();
    }
  }
  --depth_;
  return value;
}

Value HostReader::postfix() {
  const std::size_t begin = at_;
  Value value = primary();
  bool is_done = false;
  while (at_ < end_ && !is_done && spend()) {
    const Token& token = at(at_);
    if (token.is(".") || token.is("->")) {
      // A method call makes the object's value unknown, since methods are not interpreted.
      const bool has_parts = value.is(Kind::List) || value.is(Kind::Struct);
      const bool is_call = at(at_ + 2).is("(") || at(at_ + 2).is("<");
      value = member(value, is_done);
      if (has_parts && is_call && at(begin).kind == Token::Kind::Word)
        forget(std::string(at(begin).text), token.offset, "may be changed by its method");
    } else if (token.is("[")) {
      const std::size_t close = std::min(closing(at_), end_);
      const Value index = evaluate(at_ + 1, close);
      value = element(value, index);
      at_ = std::min(close + 1, end_);
    } else if (token.is("(") && value.is(Kind::Lambda)) {
      value = call("", {}, token.offset);
    } else if (token.is("++") || token.is("--")) {
      const std::size_t sign = at_;
      assign(begin, sign, combine(token.is("++") ? "+" : "-", value, integer(1), token.offset),
             sign);
      ++at_;
    } else {
      is_done = true;
    }
  }
  return value;
}

Value HostReader::element(const Value& object, const Value& index) {
  const auto known = index.is(Kind::Int) ? index.size.number() : std::nullopt;
  if (object.is(Kind::List) && known && *known >= 0 &&
      *known < static_cast<std::int64_t>(object.parts.size()))
    return object.parts[static_cast<std::size_t>(*known)];
  if (object.is(Kind::Tensor) && known) return tensor_size(object, *known);
  if (object.is(Kind::List) && !object.parts.empty() &&
      std::ranges::all_of(object.parts, [](const Value& v) { return v.is(Kind::Stream); }))
    return unknown(place(at_), "which stream is meant here depends on data");
  if (object.is(Kind::Unknown) && !object.word.empty()) return object;
  return unknown(place(at_), "what this memory holds is not known before the plan runs");
}

Value HostReader::member(const Value& object, bool& is_done) {
  const std::size_t offset = at(at_).offset;
  ++at_;
  if (at(at_).is("template")) ++at_;
  if (at(at_).kind != Token::Kind::Word) {
    is_done = true;
    return unknown(offset, "the plan drafter cannot evaluate this expression");
  }
  const std::string name(at(at_).text);
  ++at_;
  if (at(at_).is("<"))
    if (const std::size_t after = after_angles(*tokens_, at_, end_);
        after > at_ + 1 && at(after).is("("))
      at_ = after;
  if (at(at_).is("(") && at_ < end_) return call_method(object, name, offset);
  if (name == "multiProcessorCount") return integer(Size::name("sms"));
  if (name == "sharedMemPerBlockOptin") return integer(Size::name("shared_max"));
  if (object.is(Kind::Dim3) && name.size() == 1 && name[0] >= 'x' && name[0] <= 'z') {
    const auto axis = static_cast<std::size_t>(name[0] - 'x');
    return axis < object.parts.size() ? object.parts[axis] : integer(1);
  }
  if (object.is(Kind::Struct)) {
    const auto field = std::ranges::find(object.names, name);
    if (field != object.names.end())
      return object.parts[static_cast<std::size_t>(field - object.names.begin())];
  }
  return unknown(offset, fmt::format("what '{}' holds is not known", name));
}

Value HostReader::primary() {
  if (at_ >= end_)
    return unknown(place(at_), "an expression is missing at this place of the host code");
  const Token& token = at(at_);
  switch (token.kind) {
    case Token::Kind::Number:
      ++at_;
      return number(token);
    case Token::Kind::Text:
      while (at_ < end_ && at(at_).kind == Token::Kind::Text) ++at_;
      return text("");
    case Token::Kind::Word:
      return named();
    case Token::Kind::Symbol:
    case Token::Kind::Header:
    case Token::Kind::Comment:
    case Token::Kind::Blank:
    case Token::Kind::LineEnd:
      break;
  }
  if (token.is("(")) {
    const std::size_t close = std::min(closing(at_), end_);
    const auto parts = parts_between(at_ + 1, close, ",");
    Value value = unknown(token.offset, "");
    for (const auto& [from, to] : parts) value = evaluate(from, to);
    at_ = std::min(close + 1, end_);
    return value;
  }
  if (token.is("::")) return ++at_, named();
  if (token.is("{")) return braces();
  if (token.is("[")) return lambda();
  ++at_;
  return unknown(token.offset, "the plan drafter cannot evaluate this expression");
}

Value HostReader::number(const Token& token) {
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

Value HostReader::braces() {
  Value list;
  list.kind = Kind::List;
  const std::size_t close = std::min(closing(at_), end_);
  for (const auto& [from, to] : parts_between(at_ + 1, close, ",")) {
    // A designated initialiser `.field = value` is stored with the field's name.
    const bool is_named = at(from).is(".") && at(from + 2).is("=");
    list.parts.push_back(evaluate(is_named ? from + 3 : from, to));
    if (is_named) list.names.emplace_back(at(from + 1).text);
  }
  at_ = std::min(close + 1, end_);
  return list;
}

}  // namespace kw::import
