// Evaluates expressions of a host function to sizes, pointers, and other arguments of launches.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "import/host_reader.h"
#include "import/host_values.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;
using Token = lex::Token;

constexpr int kDeepestExpressions = 120;

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

}  // namespace

Value ExpressionReader::evaluate(std::size_t begin, std::size_t end) {
  const std::size_t at = all_.cursor.at;
  const std::size_t stop = all_.cursor.end;
  all_.cursor.at = begin;
  all_.cursor.end = end;
  all_.effects.start(begin, end);
  Value value = begin < end && all_.effort.spend() && all_.effort.depth < kDeepestExpressions
                    ? assignment()
                    : unknown(all_.text.place(begin), "");
  if (all_.cursor.at < all_.cursor.end) {
    if (!value.is(Kind::Unknown) || value.word.empty())
      value = unknown(all_.text.place(all_.cursor.at),
                      "the plan drafter cannot evaluate this expression");
    if (all_.effects.may_work(all_.text.tokens(), all_.cursor.at, all_.cursor.end))
      all_.record.miss(all_.text.place(all_.cursor.at), "expression that may launch",
                       "the plan drafter cannot follow this expression, which may launch kernels");
    all_.effects.forget_written(all_.cursor.at, all_.cursor.end, all_.text.place(all_.cursor.at),
                                "may change in an expression that cannot be followed");
  }
  all_.effects.forget_unfollowed(begin, end);
  all_.cursor.at = at;
  all_.cursor.end = stop;
  return value;
}

Value ExpressionReader::assignment() {
  Value value;
  if (all_.effort.depth >= kDeepestExpressions || !all_.effort.spend())
    return unknown(all_.text.place(all_.cursor.at),
                   "this expression is nested too deeply for the plan drafter");
  ++all_.effort.depth;
  if (!all_.places.read_assignment(value)) value = conditional();
  --all_.effort.depth;
  return value;
}

Value ExpressionReader::conditional() {
  const std::size_t begin = all_.cursor.at;
  Value value = binary(0);
  if (all_.cursor.at >= all_.cursor.end || !all_.text.at(all_.cursor.at).is("?")) return value;
  ++all_.cursor.at;
  const Value condition = truth(value);
  const Value yes = only_if(condition, true, [&] {
    Value last = assignment();
    while (all_.cursor.at < all_.cursor.end && all_.text.at(all_.cursor.at).is(","))
      ++all_.cursor.at, last = assignment();
    return last;
  });
  if (all_.cursor.at >= all_.cursor.end || !all_.text.at(all_.cursor.at).is(":"))
    return unknown(all_.text.place(begin), "a ? without its :");
  ++all_.cursor.at;
  const Value no = only_if(condition, false, [&] { return assignment(); });
  if (!condition.is(Kind::Int))
    return condition.is(Kind::Unknown)
               ? condition
               : unknown(all_.text.place(begin), "whether this condition holds is not known");
  if (const auto known = all_.paths.decided(condition)) return *known != 0 ? yes : no;
  Value both = merged(condition, yes, no);
  if (both.is(Kind::Unknown) && both.word.starts_with("differs"))
    both = unknown(all_.text.place(begin),
                   "the two values of this ?: expression are not both numbers");
  return both;
}

Value ExpressionReader::only_if(const Value& condition, bool wanted,
                                const std::function<Value()>& part) {
  const auto known = all_.paths.decided(condition);
  if ((known && (*known != 0) == wanted) || !all_.text.has_effects(all_.cursor.at, all_.cursor.end))
    return part();
  const std::size_t from = all_.cursor.at;
  const Scopes before = all_.variables.scopes();
  const HostProgram out = all_.record.program();
  const std::string stream = all_.record.stream();
  ++all_.paths.inside;
  Value value = part();
  --all_.paths.inside;
  if (known) {  // the condition is decided, so this operand is never evaluated
    all_.variables.scopes() = before;
    all_.record.restore(out);
    all_.record.set_stream(stream);
    return value;
  }
  if (all_.record.steps().size() > out.steps.size())
    all_.record.miss(
        all_.text.place(from), "launch under a condition in an expression",
        "whether a kernel is launched here depends on a condition in an expression: write an `if`");
  const Scopes after = std::exchange(all_.variables.scopes(), before);
  if (condition.is(Kind::Int))
    all_.variables.merge(condition, wanted ? after : before, wanted ? before : after);
  else
    all_.variables.forget_changes(before, after, all_.text.place(from), "depends on data");
  return value;
}

Value ExpressionReader::binary(int level) {
  if (level >= static_cast<int>(kLevels.size())) return unary();
  Value left = binary(level + 1);
  while (all_.cursor.at < all_.cursor.end) {
    const Token& token = all_.text.at(all_.cursor.at);
    const auto& signs = kLevels[static_cast<std::size_t>(level)];
    if (token.kind != Token::Kind::Symbol || std::ranges::find(signs, token.text) == signs.end())
      break;
    if (after_launch_open(all_.text.tokens(), all_.cursor.at) != 0 || !all_.effort.spend()) break;
    const std::string op(token.text);
    const std::size_t offset = token.offset;
    ++all_.cursor.at;
    const std::size_t from = all_.cursor.at;
    if (op == "&&" || op == "||") {
      const Value first = truth(left);
      const Value second = truth(only_if(first, op == "&&", [&] { return binary(level + 1); }));
      const auto known = all_.paths.decided(first);
      const bool is_settled = known && (*known != 0) == (op == "||");
      left = is_settled ? integer(op == "||") : combine(op, first, second, offset);
      continue;
    }
    const Value right = binary(level + 1);
    // In `stream >> name` the variable changes, so its value becomes unknown.
    if (op == ">>" && !is_arithmetic(left))
      all_.effects.forget_written(from - 1, all_.cursor.at, offset, "is read from a stream here");
    left = combine(op, left, right, offset);
  }
  return left;
}

Value ExpressionReader::unary() {
  const Token token = all_.text.at(all_.cursor.at);
  if (all_.cursor.at >= all_.cursor.end)
    return unknown(all_.text.place(all_.cursor.at),
                   "an expression is missing at this place of the host code");
  if (all_.effort.depth >= kDeepestExpressions || !all_.effort.spend())
    return unknown(token.offset, "this expression is nested too deeply for the plan drafter");
  ++all_.effort.depth;
  Value value = operand_of(token);
  --all_.effort.depth;
  return value;
}

/// The value of the operator at the cursor and its operand, or of an operand without operator.
Value ExpressionReader::operand_of(const Token& token) {
  if (is_one_of(token, {"!", "-", "~", "+"})) return sign(token);
  if (token.is("&")) return all_.places.address_of();
  if (token.is("*")) return pointee(token);
  if (is_one_of(token, {"++", "--"})) {
    const std::size_t sign = all_.cursor.at;
    ++all_.cursor.at;
    Value value = combine(token.is("++") ? "+" : "-", unary(), integer(1), token.offset);
    all_.places.assign(sign + 1, all_.cursor.at, value, sign);
    return value;
  }
  if (token.is("sizeof")) return all_.places.size_of();
  if (token.is("new")) return new_object(token);
  // The parenthesis may begin a cast: (type) expression.
  TypeAt type;
  std::size_t close = all_.cursor.at;
  if (token.is("(")) {
    close = all_.text.closing(all_.cursor.at);
    type = all_.text.type_at(all_.cursor.at + 1, close);
  }
  const bool is_type = type.end == close && close + 1 < all_.cursor.end && token.is("(") &&
                       (type.stars > 0 || bytes_of_type(type.type) > 0 || type.type == "void");
  if (!is_type) return postfix();
  all_.cursor.at = close + 1;
  return all_.casts.cast(type, unary(), token.offset);
}

/// The value of one of the operators ! - ~ + with its operand.
Value ExpressionReader::sign(const Token& token) {
  ++all_.cursor.at;
  Value value = unary();
  if (token.is("!")) value = truth(value);
  if (token.is("~")) {
    const auto known = value.is(Kind::Int) ? value.size.number() : std::nullopt;
    return known ? integer(~*known)
                 : unknown(token.offset, "expressions of a launch plan have no operator '~'");
  }
  if (token.is("+") || !is_arithmetic(value)) return value;
  const Size size = Size::unary(std::string(token.text), value.size);
  return value.is(Kind::Int) ? integer(size) : real(size);
}

/// The value of the operator * with its operand.
Value ExpressionReader::pointee(const Token& token) {
  ++all_.cursor.at;
  const Value value = unary();
  if (value.is(Kind::Reference)) {
    const Value* variable = all_.variables.referred(value);
    return variable != nullptr ? *variable
                               : unknown(token.offset, "what this pointer points to is not known");
  }
  if (value.is(Kind::Unknown)) return value;
  return unknown(token.offset, "what this memory holds is not known before the plan runs");
}

/// The value of `new`, whose text up to the end of the statement is not interpreted.
Value ExpressionReader::new_object(const Token& token) {
  const std::size_t from = all_.cursor.at;
  while (all_.cursor.at < all_.cursor.end && !all_.text.at(all_.cursor.at).is(";")) {
    if (all_.text.at(all_.cursor.at).is("(") || all_.text.at(all_.cursor.at).is("[") ||
        all_.text.at(all_.cursor.at).is("{"))
      all_.cursor.at = std::min(all_.text.closing(all_.cursor.at), all_.cursor.end);
    if (all_.cursor.at < all_.cursor.end) ++all_.cursor.at;
  }
  all_.effects.forget_written(from, all_.cursor.at, token.offset, "may be changed by this `new`");
  Value value;
  value.kind = Kind::Host;
  return value;
}

Value ExpressionReader::postfix() {
  const std::size_t begin = all_.cursor.at;
  Value value = primary();
  bool is_done = false;
  while (all_.cursor.at < all_.cursor.end && !is_done && all_.effort.spend()) {
    const Token& token = all_.text.at(all_.cursor.at);
    if (token.is(".") || token.is("->")) {
      // A method call makes the object's value unknown, since methods are not interpreted.
      const bool has_parts = value.is(Kind::List) || value.is(Kind::Struct);
      const bool is_call =
          all_.text.at(all_.cursor.at + 2).is("(") || all_.text.at(all_.cursor.at + 2).is("<");
      value = member(value, is_done);
      if (has_parts && is_call && all_.text.at(begin).kind == Token::Kind::Word)
        all_.variables.forget(std::string(all_.text.at(begin).text), token.offset,
                              "may be changed by its method");
    } else if (token.is("[")) {
      const std::size_t close = std::min(all_.text.closing(all_.cursor.at), all_.cursor.end);
      const Value index = evaluate(all_.cursor.at + 1, close);
      value = element(value, index);
      all_.cursor.at = std::min(close + 1, all_.cursor.end);
    } else if (token.is("(") && value.is(Kind::Lambda)) {
      value = all_.calls.call("", {}, token.offset);
    } else if (token.is("++") || token.is("--")) {
      const std::size_t sign = all_.cursor.at;
      all_.places.assign(
          begin, sign, combine(token.is("++") ? "+" : "-", value, integer(1), token.offset), sign);
      ++all_.cursor.at;
    } else {
      is_done = true;
    }
  }
  return value;
}

Value ExpressionReader::element(const Value& object, const Value& index) {
  const auto known = index.is(Kind::Int) ? index.size.number() : std::nullopt;
  if (object.is(Kind::List) && known && *known >= 0 &&
      *known < static_cast<std::int64_t>(object.parts.size()))
    return object.parts[static_cast<std::size_t>(*known)];
  if (object.is(Kind::Tensor) && known)
    return all_.record.tensor_size(object, *known, all_.text.place(all_.cursor.at));
  if (object.is(Kind::List) && !object.parts.empty() &&
      std::ranges::all_of(object.parts, [](const Value& v) { return v.is(Kind::Stream); }))
    return unknown(all_.text.place(all_.cursor.at), "which stream is meant here depends on data");
  if (object.is(Kind::Unknown) && !object.word.empty()) return object;
  return unknown(all_.text.place(all_.cursor.at),
                 "what this memory holds is not known before the plan runs");
}

Value ExpressionReader::member(const Value& object, bool& is_done) {
  const std::size_t offset = all_.text.at(all_.cursor.at).offset;
  ++all_.cursor.at;
  if (all_.text.at(all_.cursor.at).is("template")) ++all_.cursor.at;
  if (all_.text.at(all_.cursor.at).kind != Token::Kind::Word) {
    is_done = true;
    return unknown(offset, "the plan drafter cannot evaluate this expression");
  }
  const std::string name(all_.text.at(all_.cursor.at).text);
  ++all_.cursor.at;
  if (all_.text.at(all_.cursor.at).is("<"))
    if (const std::size_t after = after_angles(all_.text.tokens(), all_.cursor.at, all_.cursor.end);
        after > all_.cursor.at + 1 && all_.text.at(after).is("("))
      all_.cursor.at = after;
  if (all_.text.at(all_.cursor.at).is("(") && all_.cursor.at < all_.cursor.end)
    return all_.torch.call_method(object, name, offset);
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

Value ExpressionReader::primary() {
  if (all_.cursor.at >= all_.cursor.end)
    return unknown(all_.text.place(all_.cursor.at),
                   "an expression is missing at this place of the host code");
  const Token& token = all_.text.at(all_.cursor.at);
  switch (token.kind) {
    case Token::Kind::Number:
      ++all_.cursor.at;
      return number_of(token);
    case Token::Kind::Text:
      while (all_.cursor.at < all_.cursor.end &&
             all_.text.at(all_.cursor.at).kind == Token::Kind::Text)
        ++all_.cursor.at;
      return text("");
    case Token::Kind::Word:
      return all_.names.named();
    case Token::Kind::Symbol:
    case Token::Kind::Header:
    case Token::Kind::Comment:
    case Token::Kind::Blank:
    case Token::Kind::LineEnd:
      break;
  }
  if (token.is("(")) {
    const std::size_t close = std::min(all_.text.closing(all_.cursor.at), all_.cursor.end);
    const auto parts = all_.text.parts_between(all_.cursor.at + 1, close, ",");
    Value value = unknown(token.offset, "");
    for (const auto& [from, to] : parts) value = evaluate(from, to);
    all_.cursor.at = std::min(close + 1, all_.cursor.end);
    return value;
  }
  if (token.is("::")) return ++all_.cursor.at, all_.names.named();
  if (token.is("{")) return braces();
  if (token.is("[")) return all_.lambdas.read();
  ++all_.cursor.at;
  return unknown(token.offset, "the plan drafter cannot evaluate this expression");
}

Value ExpressionReader::braces() {
  Value list;
  list.kind = Kind::List;
  const std::size_t close = std::min(all_.text.closing(all_.cursor.at), all_.cursor.end);
  for (const auto& [from, to] : all_.text.parts_between(all_.cursor.at + 1, close, ",")) {
    // A designated initialiser `.field = value` is stored with the field's name.
    const bool is_named = all_.text.at(from).is(".") && all_.text.at(from + 2).is("=");
    list.parts.push_back(evaluate(is_named ? from + 3 : from, to));
    if (is_named) list.names.emplace_back(all_.text.at(from + 1).text);
  }
  all_.cursor.at = std::min(close + 1, all_.cursor.end);
  return list;
}

std::vector<Value> ExpressionReader::arguments(std::vector<std::size_t>* places) {
  std::vector<Value> values;
  const std::size_t close = std::min(all_.text.closing(all_.cursor.at), all_.cursor.end);
  for (const auto& [from, to] : all_.text.parts_between(all_.cursor.at + 1, close, ",")) {
    if (places != nullptr) places->push_back(all_.text.place(from));
    values.push_back(evaluate(from, to));
    if (values.size() >= 128) break;
  }
  all_.cursor.at = std::min(close + 1, all_.cursor.end);
  return values;
}

}  // namespace kw::import
