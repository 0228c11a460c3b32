// Interprets what expressions write and point to: assignments, addresses, conditions, and lambdas.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "import/host_reader.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

constexpr std::size_t kMostFields = 64;

}  // namespace

/// Reads an assignment: a name, perhaps with fields and indices, then an operator and a value.
bool HostReader::assign_here(Value& result) {
  const std::size_t begin = at_;
  if (at(begin).kind != Token::Kind::Word) return false;
  std::size_t i = begin + 1;
  while (i < end_) {
    if ((at(i).is(".") || at(i).is("->") || at(i).is("::")) && at(i + 1).kind == Token::Kind::Word)
      i += 2;
    else if (at(i).is("["))
      i = closing(i) + 1;
    else
      break;
  }
  if (i >= end_ || !is_write(i) || is_one_of(at(i), {"++", "--"})) return false;
  const std::string op(at(i).text.substr(0, at(i).text.size() - 1));
  at_ = i + 1;
  Value value = assignment();
  if (!op.empty()) {
    // For an operator such as += the left side is read and written; an index with side effects such
    // as i++ would happen twice.
    const bool is_pure = !has_effects(begin, i);
    value = is_pure ? combine(op, evaluate(begin, i), value, place(i))
                    : unknown(place(begin), "the plan drafter cannot follow this assignment");
  }
  const std::size_t after = at_;
  assign(begin, i, value, i);
  at_ = after;
  result = std::move(value);
  return true;
}

/// The part of a variable's value that fields and indices from token `i` on select; null if it is
/// not known.
Value* HostReader::part_of(Value& object, std::size_t& i, std::size_t end) {
  Value* part = &object;
  while (part != nullptr && i < end) {
    if (at(i).is(".")) {
      const std::string field(at(i + 1).text);
      i += 2;
      if (part->is(Kind::Dim3)) {
        part->parts.resize(3, integer(1));
        const bool is_axis = field == "x" || field == "y" || field == "z";
        part = is_axis ? &part->parts[static_cast<std::size_t>(field[0] - 'x')] : nullptr;
        continue;
      }
      if (!part->is(Kind::Struct) || (part->names.empty() && !part->parts.empty())) return nullptr;
      const auto known = std::ranges::find(part->names, field);
      if (known == part->names.end()) {
        if (part->names.size() >= kMostFields) return nullptr;
        part->names.push_back(field);
        part->parts.push_back(unknown(place(i), fmt::format("'{}' is not set here", field)));
        part = &part->parts.back();
      } else {
        part = &part->parts[static_cast<std::size_t>(known - part->names.begin())];
      }
    } else if (at(i).is("[")) {
      const std::size_t close = closing(i);
      const Value index = evaluate(i + 1, std::min(close, end));
      const auto known = index.is(Kind::Int) ? index.size.number() : std::nullopt;
      i = close + 1;
      const bool is_in = part->is(Kind::List) && known && *known >= 0 &&
                         *known < static_cast<std::int64_t>(part->parts.size());
      part = is_in ? &part->parts[static_cast<std::size_t>(*known)] : nullptr;
    } else {
      return nullptr;
    }
  }
  return part;
}

/// Assigns the value to the variable, field or element that the tokens name. An assignment that
/// cannot be interpreted here is not marked as followed, so evaluate() makes the variable unknown.
void HostReader::assign(std::size_t begin, std::size_t end, Value value, std::size_t sign) {
  Variable* variable =
      at(begin).kind == Token::Kind::Word ? find(std::string(at(begin).text)) : nullptr;
  if (variable == nullptr) return;
  if (begin + 1 == end) {
    followed_.emplace(tokens_, sign);
    const TypeAt type{variable->type, variable->stars, false, 1};
    if (variable->value.is(Kind::Host) && !value.is(Kind::Pointer)) return;
    expose(value);
    Value now = cast(type, std::move(value), place(begin));
    variable = find(std::string(at(begin).text));
    // A constant that is assigned after its declaration keeps its variable's name, as an
    // initialised constant does.
    if (at(sign).is("=") && now.is(Kind::Int) && is_nameable(std::string(at(begin).text), now.size))
      now.size = Size::named(std::string(at(begin).text), now.size);
    variable->value = std::move(now);
    return;
  }
  if (variable->type == "dim3" && variable->value.is(Kind::List)) variable->value.kind = Kind::Dim3;
  const bool is_record = variable->value.is(Kind::Unknown) && variable->stars == 0 &&
                         variable->value.word.ends_with("not set here") &&
                         bytes_of_type(variable->type) == 0 && at(begin + 1).is(".");
  if (is_record) {
    variable->value = Value();
    variable->value.kind = Kind::Struct;
    variable->value.word = variable->type;
  }
  const std::string name(at(begin).text);
  const bool has_index = std::ranges::any_of(tokens_->begin() + static_cast<std::ptrdiff_t>(begin),
                                             tokens_->begin() + static_cast<std::ptrdiff_t>(end),
                                             [](const Token& token) { return token.is("["); });
  Value copy = variable->value;
  std::size_t i = begin + 1;
  Value* part = part_of(copy, i, end);
  variable = find(name);
  if (part == nullptr || variable == nullptr) return;
  if (has_index && (copy.is(Kind::Host) || copy.is(Kind::Pointer))) return;
  expose(value);
  *part = std::move(value);
  variable->value = std::move(copy);
  followed_.emplace(tokens_, sign);
}

/// Makes unknown the variables that operators in the tokens write, except where the write was
/// interpreted exactly.
void HostReader::forget_unfollowed(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (!is_write(i) || followed_.contains({tokens_, i})) continue;
    followed_.emplace(tokens_, i);
    const auto [from, to] = written_by(i, begin, end);
    bool is_memory = false;
    for (std::size_t k = from; k < to; ++k)
      is_memory = is_memory || is_one_of(at(k), {"*", "[", "->"});
    bool is_first = true;
    for (std::size_t k = from; k < to; ++k) {
      if (at(k).is("[")) k = closing(k);  // an index is only read
      if (k >= to || at(k).kind != Token::Kind::Word) continue;
      if (k > from && is_one_of(at(k - 1), {".", "->"})) continue;  // a field's name
      const std::string name(at(k).text);
      Variable* variable = find(name);
      const bool is_device = variable != nullptr && (variable->value.is(Kind::Pointer) ||
                                                     variable->value.is(Kind::Tensor));
      if (is_memory && is_device && std::exchange(is_first, false)) {
        // Writing device memory on the host is allowed in a main() that has not yet used it: it
        // then fills the inputs.
        if (!out_.is_main || buffer_of(variable->value).is_used)
          miss(place(k),
               fmt::format("the host writes to the memory of '{}', which a launch plan cannot do",
                           sanitise(name, 60)));
        continue;
      }
      is_first = false;
      forget(name, place(k), "is set here in a way that cannot be followed");
    }
    if (is_memory) forget_exposed(place(i));
  }
}

Value HostReader::conditional() {
  const std::size_t begin = at_;
  Value value = binary(0);
  if (at_ >= end_ || !at(at_).is("?")) return value;
  ++at_;
  const Value condition = truth(value);
  const Value yes = only_if(condition, true, [&] {
    Value last = assignment();
    while (at_ < end_ && at(at_).is(",")) ++at_, last = assignment();
    return last;
  });
  if (at_ >= end_ || !at(at_).is(":")) return unknown(place(begin), "a ? without its :");
  ++at_;
  const Value no = only_if(condition, false, [&] { return assignment(); });
  if (!condition.is(Kind::Int))
    return condition.is(Kind::Unknown)
               ? condition
               : unknown(place(begin), "whether this condition holds is not known");
  if (const auto known = decided(condition)) return *known != 0 ? yes : no;
  Value both = merged(condition, yes, no);
  if (both.is(Kind::Unknown) && both.word.starts_with("differs"))
    both = unknown(place(begin), "the two values of this ?: expression are not both numbers");
  return both;
}

Value HostReader::only_if(const Value& condition, bool wanted, const std::function<Value()>& part) {
  const auto known = decided(condition);
  if ((known && (*known != 0) == wanted) || !has_effects(at_, end_)) return part();
  const std::size_t from = at_;
  const Scopes before = scopes_;
  const HostProgram out = out_;
  const auto stream = stream_;
  ++inside_;
  Value value = part();
  --inside_;
  if (known) {  // the condition is decided, so this operand is never evaluated
    scopes_ = before;
    out_ = out;
    stream_ = stream;
    return value;
  }
  if (out_.steps.size() > out.steps.size())
    miss(
        place(from),
        "whether a kernel is launched here depends on a condition in an expression: write an `if`");
  const Scopes after = std::exchange(scopes_, before);
  if (condition.is(Kind::Int))
    merge(condition, wanted ? after : before, wanted ? before : after);
  else
    forget_changes(before, after, place(from), "depends on data");
  return value;
}

/// The value to which a reference points, in the scopes of the current function; null if it is not
/// known.
Value* HostReader::referred(const Value& reference) {
  Variable* variable = variable_of(reference);
  if (variable == nullptr || reference.begin == 0) return variable ? &variable->value : nullptr;
  const bool is_in =
      variable->value.is(Kind::List) && reference.begin <= variable->value.parts.size();
  return is_in ? &variable->value.parts[reference.begin - 1] : nullptr;
}

HostReader::Variable* HostReader::variable_of(const Value& reference) {
  if (!reference.is(Kind::Reference) || reference.depth >= scopes_.size()) return nullptr;
  const auto found = scopes_[reference.depth].find(reference.word);
  return found != scopes_[reference.depth].end() ? &found->second : nullptr;
}

Value HostReader::address_of() {
  const std::size_t offset = at(at_).offset;
  ++at_;
  const std::size_t name = at_;
  const auto found =
      at(name).kind == Token::Kind::Word ? locate(std::string(at(name).text)) : std::nullopt;
  const auto reference = [&](std::size_t element) {
    Value value;
    value.kind = Kind::Reference;
    value.word = found->second;
    value.depth = found->first;
    value.begin = element;
    value.offset = offset;
    return value;
  };
  if (found && at(name + 1).is("[")) {
    // &x[i] is the pointer x + i, or the address of an array's element.
    const std::size_t close = closing(name + 1);
    const Value base = scopes_[found->first][found->second].value;
    const Value index = close < end_ ? evaluate(name + 2, close) : Value();
    const auto known = index.is(Kind::Int) ? index.size.number() : std::nullopt;
    const bool is_last = !is_one_of(at(close + 1), {".", "->", "["});
    if (base.is(Kind::Pointer) && close < end_ && is_last) {
      at_ = close + 1;
      return combine("+", base, index, offset);
    }
    if (base.is(Kind::List) && known && is_last && *known >= 0 &&
        *known < static_cast<std::int64_t>(base.parts.size())) {
      at_ = close + 1;
      return reference(static_cast<std::size_t>(*known) + 1);
    }
  } else if (found && !is_one_of(at(name + 1), {".", "->", "::", "<", "("})) {
    ++at_;
    return reference(0);
  }
  Value value = unary();
  if (value.is(Kind::Kernel) || value.is(Kind::Host)) return value;
  // A part of the variable may be written through this address, so its value becomes unknown.
  if (found && !value.is(Kind::Host))
    forget(found->second, offset, "has a part whose address is taken here");
  return unknown(offset, "what this address points to is not known");
}

Value HostReader::size_of() {
  const std::size_t offset = at(at_).offset;
  ++at_;
  if (!at(at_).is("("))
    return unknown(offset, "the size of the operand of this sizeof is not known");
  const std::size_t close = std::min(closing(at_), end_);
  const std::size_t name = at_ + 1 + (at(at_ + 1).is("*") ? 1 : 0);
  const bool is_element =
      at(at_ + 1).is("*") || (at(name + 1).is("[") && closing(name + 1) + 1 == close);
  const TypeAt type = type_at(at_ + 1, close);
  const Variable* variable = find(std::string(at(name).text));
  at_ = std::min(close + 1, end_);
  const auto unclear = [&] {
    return unknown(offset, fmt::format("the size of '{}' is not known",
                                       sanitise(std::string(at(name).text), 60)));
  };
  if (variable == nullptr) {
    const int bytes = type.end != close ? 0 : type.stars > 0 ? 8 : bytes_of_type(type.type);
    return bytes > 0 ? integer(bytes) : unclear();
  }
  const int bytes = bytes_of_type(variable->type);
  const bool is_array = variable->extent.is(Kind::Int);
  if (is_element && (variable->stars == 1 || is_array) && bytes > 0) return integer(bytes);
  if (is_element || name + 1 != close) return unclear();
  if (is_array)
    return bytes > 0 ? integer(Size::binary("*", variable->extent.size, bytes)) : unclear();
  return variable->stars > 0 ? integer(8) : bytes > 0 ? integer(bytes) : unclear();
}

Value HostReader::lambda() {
  Value value = unknown(at(at_).offset, "what this function does is not known");
  const std::size_t capture = at_;
  const std::size_t capture_end = std::min(closing(at_), end_);
  std::size_t i = std::min(capture_end + 1, end_);
  if (at(i).is("(")) {
    const std::size_t close = std::min(closing(i), end_);
    for (const auto& [from, to] : parts_between(i + 1, close, ",")) {
      const TypeAt type = type_at(from, to);
      Value parameter = text(type.end > 0 && type.end < to ? std::string(at(type.end).text) : "");
      parameter.names = {type.type};
      parameter.begin = static_cast<std::size_t>(type.stars);
      parameter.end = type.is_reference && !type.is_const;
      value.parts.push_back(std::move(parameter));
    }
    i = std::min(close + 1, end_);
  }
  bool is_mutable = false;
  while (i < end_ && !at(i).is("{") && !at(i).is(")") && !at(i).is(",")) {
    is_mutable = is_mutable || at(i).is("mutable");
    ++i;
  }
  if (!at(i).is("{") || i >= end_) {
    at_ = std::min(i, end_);
    return value;
  }
  const std::size_t body = i + 1;
  const std::size_t body_end = std::min(closing(i), end_);
  at_ = std::min(body_end + 1, end_);
  mark_followed(capture, body_end);
  if (is_mutable) {
    forget_written(body, body_end, place(body), "may be set by a function that keeps a state");
    return value;
  }
  value.kind = Kind::Lambda;
  value.tokens = tokens_;
  value.begin = body;
  value.end = body_end;
  value.depth = scopes_.size();
  const auto capture_by_value = [&](const std::string& name, Value what) {
    value.names.push_back(name);
    value.captured.push_back(std::move(what));
  };
  std::set<std::string> by_reference;
  for (std::size_t k = capture + 1; k < capture_end; ++k)
    if (at(k).is("&") && at(k + 1).kind == Token::Kind::Word) by_reference.emplace(at(k + 1).text);
  for (const auto& [from, to] : parts_between(capture + 1, capture_end, ",")) {
    if (at(from).is("&") || at(from).is("this")) continue;
    if (at(from).is("=")) {
      std::set<std::string> names;
      for (std::size_t k = body; k < body_end; ++k)
        if (at(k).kind == Token::Kind::Word) names.emplace(at(k).text);
      for (const std::string& name : names)
        if (const auto found = locate(name);
            found && found->first > 0 && !by_reference.contains(name))
          capture_by_value(name, scopes_[found->first][found->second].value);
    } else if (at(from).kind == Token::Kind::Word) {
      const bool has_value = at(from + 1).is("=") && from + 2 < to;
      capture_by_value(std::string(at(from).text),
                       has_value ? evaluate(from + 2, to) : lookup(std::string(at(from).text)));
    }
  }
  return value;
}

}  // namespace kw::import
