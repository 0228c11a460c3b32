// Evaluates expressions of a host function to sizes, places, and other arguments of launches.
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
  Value value = begin < end && spend() && depth_ < kDeepestExpressions ? assignment()
                                                                       : unknown(place(begin), "");
  if (at_ < end_ && !value.is(Kind::Unknown))
    value = unknown(place(at_), "this expression cannot be followed");
  at_ = at;
  end_ = stop;
  return value;
}

Value HostReader::assignment() {
  Value value;
  if (depth_ >= kDeepestExpressions || !spend()) return unknown(place(at_), "nested too deeply");
  ++depth_;
  if (!assign_here(value)) value = conditional();
  --depth_;
  return value;
}

/// Reads an assignment: a name, perhaps with fields and indices, then an operator and a value.
bool HostReader::assign_here(Value& result) {
  static constexpr auto kOperators = {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>="};
  const std::size_t begin = at_;
  if (at(begin).kind != Token::Kind::Word) return false;
  std::size_t i = begin + 1;
  while (i < end_) {
    if ((at(i).is(".") || at(i).is("->")) && at(i + 1).kind == Token::Kind::Word)
      i += 2;
    else if (at(i).is("["))
      i = closing(i) + 1;
    else
      break;
  }
  if (i >= end_ || std::ranges::find(kOperators, at(i).text) == std::end(kOperators)) return false;
  const std::string op(at(i).text.substr(0, at(i).text.size() - 1));
  at_ = i + 1;
  Value value = assignment();
  if (!op.empty()) {
    const Value old = evaluate(begin, i);
    value = combine(op, old, value, place(i));
  }
  assign(begin, i, op, value);
  result = std::move(value);
  return true;
}

void HostReader::assign(std::size_t begin, std::size_t end, const std::string& op, Value value) {
  Variable* variable = find(std::string(at(begin).text));
  if (variable == nullptr) return;
  if (begin + 1 == end) {
    const TypeAt type{variable->type, variable->stars, false, 1};
    if (variable->value.is(Kind::Host) && !value.is(Kind::Pointer)) return;
    variable->value = cast(type, std::move(value), place(begin));
    Value& now = variable->value;
    // A constant that is assigned once after its declaration keeps its name, like one that is
    // initialised.
    if (op.empty() && now.is(Kind::Int) && now.size.op() == Size::Op::Number)
      now.size = Size::named(std::string(at(begin).text), now.size);
    return;
  }
  if (begin + 3 == end && (at(begin + 1).is(".") || at(begin + 1).is("->"))) {
    const std::string field(at(begin + 2).text);
    Value& object = variable->value;
    if (variable->type == "dim3") {
      object.kind = Kind::Dim3;
      object.parts.resize(3, integer(1));
      if (field == "x" || field == "y" || field == "z")
        object.parts[static_cast<std::size_t>(field[0] - 'x')] = std::move(value);
      return;
    }
    if (!object.is(Kind::Struct)) {
      object = Value();
      object.kind = Kind::Struct;
      object.word = variable->type;
    }
    const auto known = std::ranges::find(object.names, field);
    if (known != object.names.end()) {
      object.parts[static_cast<std::size_t>(known - object.names.begin())] = std::move(value);
    } else if (object.names.size() < 64) {
      object.names.push_back(field);
      object.parts.push_back(std::move(value));
    }
    return;
  }
  if (at(begin + 1).is("[") && closing(begin + 1) + 1 == end && variable->value.is(Kind::List)) {
    const Value index = evaluate(begin + 2, end - 1);
    const auto known = index.is(Kind::Int) ? index.size.number() : std::nullopt;
    if (known && *known >= 0 && *known < static_cast<std::int64_t>(variable->value.parts.size()))
      variable->value.parts[static_cast<std::size_t>(*known)] = std::move(value);
  }
}

Value HostReader::conditional() {
  const std::size_t begin = at_;
  Value value = binary(0);
  if (at_ >= end_ || !at(at_).is("?")) return value;
  ++at_;
  const Value yes = assignment();
  if (at_ >= end_ || !at(at_).is(":")) return unknown(place(begin), "a ? without its :");
  ++at_;
  const Value no = assignment();
  if (!value.is(Kind::Int))
    return value.is(Kind::Unknown) ? value : unknown(place(begin), "this condition is not known");
  if (const auto known = decided(value)) return *known != 0 ? yes : no;
  if (yes.is(Kind::Unknown)) return yes;
  if (no.is(Kind::Unknown)) return no;
  if (yes.is(Kind::Int) && no.is(Kind::Int))
    return integer(Size::choice(value.size, yes.size, no.size));
  return unknown(place(begin), "the choices of this ? are no numbers");
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
    const Value right = binary(level + 1);
    left = combine(op, left, right, offset);
  }
  return left;
}

Value HostReader::combine(const std::string& op, const Value& a, const Value& b,
                          std::size_t offset) {
  if (a.is(Kind::Unknown)) return a;
  if (b.is(Kind::Unknown)) return b;
  if (a.is(Kind::Null) || b.is(Kind::Null)) {
    const bool is_same = a.kind == b.kind;
    if (op == "==") return integer(is_same);
    if (op == "!=") return integer(!is_same);
  }
  if (a.is(Kind::Pointer) && b.is(Kind::Int) && (op == "+" || op == "-")) {
    Value moved = a;
    const int bytes = a.word == "void" ? 1 : bytes_of_type(a.word);
    if (bytes == 0) return unknown(offset, fmt::format("the size of a '{}' is not known", a.word));
    moved.size = Size::binary(op, a.size, Size::binary("*", b.size, bytes));
    return moved;
  }
  if (!is_arithmetic(a) || !is_arithmetic(b))
    return unknown(offset, fmt::format("what '{}' makes here is not known", op));
  if (a.is(Kind::Real) || b.is(Kind::Real)) {
    if (op == "/") return real(Size::binary("//", a.size, b.size));
    if (op == "+" || op == "-" || op == "*") return real(Size::binary(op, a.size, b.size));
    return unknown(offset, "a comparison of real numbers is no condition of a plan");
  }
  const auto right = b.size.number();
  if (op == "<<" && right && *right >= 0 && *right < 62)
    return integer(Size::binary("*", a.size, std::int64_t{1} << *right));
  if (op == ">>" && right && *right >= 0 && *right < 62)
    return integer(Size::binary("/", a.size, std::int64_t{1} << *right));
  if (op == "&" && right) {
    // A mask with the low bits clear rounds down to a multiple of a power of two.
    if (*right < 0 && *right > INT64_MIN && is_power_of_two(-*right))
      return integer(Size::binary("*", Size::binary("/", a.size, -*right), -*right));
    if (*right >= 0 && *right < INT64_MAX && is_power_of_two(*right + 1))
      return integer(Size::binary("%", a.size, *right + 1));
  }
  if (op == "&" || op == "|" || op == "^" || op == "<<" || op == ">>")
    return unknown(offset, fmt::format("the plan language has no '{}'", op));
  return integer(Size::binary(op, a.size, b.size));
}

Value HostReader::unary() {
  const Token token = at(at_);
  if (at_ >= end_) return unknown(place(at_), "an expression is missing here");
  if (depth_ >= kDeepestExpressions || !spend()) return unknown(token.offset, "nested too deeply");
  ++depth_;
  Value value;
  if (token.is("!") || token.is("-") || token.is("~") || token.is("+")) {
    ++at_;
    value = unary();
    const bool is_null_test = token.is("!") && (value.is(Kind::Pointer) || value.is(Kind::Null));
    if (is_null_test) {
      value = integer(value.is(Kind::Null));
    } else if (token.is("~")) {
      const auto known = value.is(Kind::Int) ? value.size.number() : std::nullopt;
      value = known ? integer(~*known) : unknown(token.offset, "the plan language has no '~'");
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
      const Variable* variable = find(value.word);
      value = variable != nullptr ? variable->value : unknown(token.offset, "");
    } else if (!value.is(Kind::Unknown)) {
      value = unknown(token.offset, "what lies in memory is not known before the plan runs");
    }
  } else if (token.is("++") || token.is("--")) {
    ++at_;
    const std::size_t name = at_;
    value = combine(token.is("++") ? "+" : "-", unary(), integer(1), token.offset);
    if (at(name).kind == Token::Kind::Word && at_ == name + 1) assign(name, at_, "+", value);
  } else if (token.is("sizeof")) {
    value = size_of();
  } else if (token.is("new")) {
    while (at_ < end_ && !at(at_).is(";")) {
      if (at(at_).is("(") || at(at_).is("[") || at(at_).is("{")) at_ = std::min(closing(at_), end_);
      if (at_ < end_) ++at_;
    }
    value.kind = Kind::Host;
  } else {
    // A cast: (type) expression.
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

Value HostReader::address_of() {
  const std::size_t offset = at(at_).offset;
  ++at_;
  const std::size_t name = at_;
  if (at(name).kind == Token::Kind::Word && !at(name + 1).is("[") && !at(name + 1).is(".") &&
      !at(name + 1).is("->") && !at(name + 1).is("::") && !at(name + 1).is("<")) {
    if (find(std::string(at(name).text)) != nullptr) {
      ++at_;
      Value value;
      value.kind = Kind::Reference;
      value.word = at(name).text;
      value.offset = offset;
      return value;
    }
  }
  // The address &x[i] is the pointer x + i.
  if (at(name).kind == Token::Kind::Word && at(name + 1).is("[")) {
    const std::size_t close = closing(name + 1);
    const Variable* variable = find(std::string(at(name).text));
    if (variable != nullptr && variable->value.is(Kind::Pointer) && close < end_) {
      const Value base = variable->value;
      const Value index = evaluate(name + 2, close);
      at_ = close + 1;
      return combine("+", base, index, offset);
    }
  }
  Value value = unary();
  if (value.is(Kind::Kernel) || value.is(Kind::Host)) return value;
  return unknown(offset, "what this address points to is not known");
}

Value HostReader::size_of() {
  const std::size_t offset = at(at_).offset;
  ++at_;
  if (!at(at_).is("(")) return unknown(offset, "the operand of this sizeof is not known");
  const std::size_t close = std::min(closing(at_), end_);
  const TypeAt type = type_at(at_ + 1, close);
  std::string name = type.end == close ? type.type : "";
  int bytes = type.stars > 0 ? 8 : bytes_of_type(name);
  if (bytes == 0)
    if (const Variable* variable = find(std::string(at(at_ + 1).text)))
      bytes = variable->stars > 0 && !at(at_ + 2).is("[") ? 8 : bytes_of_type(variable->type);
  at_ = std::min(close + 1, end_);
  return bytes > 0 ? integer(bytes)
                   : unknown(offset, fmt::format("the size of a '{}' is not known", name));
}

Value HostReader::postfix() {
  Value value = primary();
  bool is_done = false;
  while (at_ < end_ && !is_done && spend()) {
    const Token& token = at(at_);
    if (token.is(".") || token.is("->")) {
      value = member(value, is_done);
    } else if (token.is("[")) {
      const std::size_t close = std::min(closing(at_), end_);
      const Value index = evaluate(at_ + 1, close);
      value = element(value, index);
      at_ = std::min(close + 1, end_);
    } else if (token.is("(") && value.is(Kind::Lambda)) {
      value = call("", {}, token.offset);
    } else if (token.is("++") || token.is("--")) {
      const std::size_t name = at_ - 1;
      if (at(name).kind == Token::Kind::Word)
        assign(name, at_, "+",
               combine(token.is("++") ? "+" : "-", value, integer(1), token.offset));
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
  if (object.is(Kind::Unknown) && !object.word.empty()) return object;
  return unknown(place(at_), "what lies in memory is not known before the plan runs");
}

Value HostReader::member(const Value& object, bool& is_done) {
  const std::size_t offset = at(at_).offset;
  ++at_;
  if (at(at_).is("template")) ++at_;
  if (at(at_).kind != Token::Kind::Word) {
    is_done = true;
    return unknown(offset, "this cannot be followed");
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
  if (at_ >= end_) return unknown(place(at_), "an expression is missing here");
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
  if (token.is("{")) return braces();
  if (token.is("[")) return lambda();
  ++at_;
  return unknown(token.offset, "this cannot be followed");
}

Value HostReader::number(const Token& token) {
  std::string digits;
  for (const char c : token.text)
    if (c != '\'') digits += c;
  const auto refused = [&] {
    return unknown(token.offset, fmt::format("'{}' is no number of 64 bits", digits.substr(0, 40)));
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
    // An initialiser `.field = value` is stored with the field's name.
    const bool is_named = at(from).is(".") && at(from + 2).is("=");
    list.parts.push_back(evaluate(is_named ? from + 3 : from, to));
    if (is_named) list.names.emplace_back(at(from + 1).text);
  }
  at_ = std::min(close + 1, end_);
  return list;
}

Value HostReader::lambda() {
  Value value = unknown(at(at_).offset, "what this function does is not known");
  std::size_t i = std::min(closing(at_) + 1, end_);
  if (at(i).is("(")) {
    const std::size_t close = std::min(closing(i), end_);
    for (const auto& [from, to] : parts_between(i + 1, close, ",")) {
      const TypeAt type = type_at(from, to);
      Value parameter = text(type.end > 0 && type.end < to ? std::string(at(type.end).text) : "");
      parameter.names = {type.type};
      parameter.begin = static_cast<std::size_t>(type.stars);
      value.parts.push_back(std::move(parameter));
    }
    i = std::min(close + 1, end_);
  }
  while (i < end_ && !at(i).is("{") && !at(i).is(")") && !at(i).is(",")) ++i;
  if (!at(i).is("{") || i >= end_) {
    at_ = std::min(i, end_);
    return value;
  }
  value.kind = Kind::Lambda;
  value.tokens = tokens_;
  value.begin = i + 1;
  value.end = std::min(closing(i), end_);
  at_ = std::min(value.end + 1, end_);
  return value;
}

}  // namespace kw::import
