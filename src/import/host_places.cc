// Interprets what expressions write and point to: assignments, addresses, and sizes of objects.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "import/host_reader.h"
#include "import/host_values.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;
using Token = lex::Token;

constexpr std::size_t kMostFields = 64;

}  // namespace

bool PlaceReader::read_assignment(Value& result) {
  const std::size_t begin = all_.cursor.at;
  if (all_.text.at(begin).kind != Token::Kind::Word) return false;
  std::size_t i = begin + 1;
  while (i < all_.cursor.end) {
    if ((all_.text.at(i).is(".") || all_.text.at(i).is("->") || all_.text.at(i).is("::")) &&
        all_.text.at(i + 1).kind == Token::Kind::Word)
      i += 2;
    else if (all_.text.at(i).is("["))
      i = all_.text.closing(i) + 1;
    else
      break;
  }
  if (i >= all_.cursor.end || !all_.text.is_write(i) || is_one_of(all_.text.at(i), {"++", "--"}))
    return false;
  const std::string op(all_.text.at(i).text.substr(0, all_.text.at(i).text.size() - 1));
  all_.cursor.at = i + 1;
  Value value = all_.expressions.assignment();
  if (!op.empty()) {
    // For an operator such as += the left side is read and written; an index with side effects such
    // as i++ would happen twice.
    const bool is_pure = !all_.text.has_effects(begin, i);
    value = is_pure
                ? combine(op, all_.expressions.evaluate(begin, i), value, all_.text.place(i))
                : unknown(all_.text.place(begin), "the plan drafter cannot follow this assignment");
  }
  const std::size_t after = all_.cursor.at;
  assign(begin, i, value, i);
  all_.cursor.at = after;
  result = std::move(value);
  return true;
}

Value* PlaceReader::part_of(Value& object, std::size_t& i, std::size_t end) {
  Value* part = &object;
  while (part != nullptr && i < end) {
    if (all_.text.at(i).is(".")) {
      const std::string field(all_.text.at(i + 1).text);
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
        part->parts.push_back(
            unknown(all_.text.place(i), fmt::format("'{}' is not set here", field)));
        part = &part->parts.back();
      } else {
        part = &part->parts[static_cast<std::size_t>(known - part->names.begin())];
      }
    } else if (all_.text.at(i).is("[")) {
      const std::size_t close = all_.text.closing(i);
      const Value index = all_.expressions.evaluate(i + 1, std::min(close, end));
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

void PlaceReader::assign(std::size_t begin, std::size_t end, Value value, std::size_t sign) {
  Variable* variable = all_.text.at(begin).kind == Token::Kind::Word
                           ? all_.variables.find(std::string(all_.text.at(begin).text))
                           : nullptr;
  if (variable == nullptr) return;
  if (begin + 1 == end) {
    all_.effects.mark_followed(sign);
    const TypeAt type{variable->type, variable->stars, false, 1};
    if (variable->value.is(Kind::Host) && !value.is(Kind::Pointer)) return;
    all_.variables.expose(value);
    Value now = all_.casts.cast(type, std::move(value), all_.text.place(begin));
    variable = all_.variables.find(std::string(all_.text.at(begin).text));
    // A constant that is assigned after its declaration keeps its variable's name, as an
    // initialised constant does.
    if (all_.text.at(sign).is("=") && now.is(Kind::Int) &&
        all_.record.is_nameable(std::string(all_.text.at(begin).text), now.size))
      now.size = Size::named(std::string(all_.text.at(begin).text), now.size);
    variable->value = std::move(now);
    return;
  }
  if (variable->type == "dim3" && variable->value.is(Kind::List)) variable->value.kind = Kind::Dim3;
  const bool is_record = variable->value.is(Kind::Unknown) && variable->stars == 0 &&
                         variable->value.word.ends_with("not set here") &&
                         bytes_of_type(variable->type) == 0 && all_.text.at(begin + 1).is(".");
  if (is_record) {
    variable->value = Value();
    variable->value.kind = Kind::Struct;
    variable->value.word = variable->type;
  }
  const std::string name(all_.text.at(begin).text);
  const bool has_index =
      std::ranges::any_of(all_.text.tokens().begin() + static_cast<std::ptrdiff_t>(begin),
                          all_.text.tokens().begin() + static_cast<std::ptrdiff_t>(end),
                          [](const Token& token) { return token.is("["); });
  Value copy = variable->value;
  std::size_t i = begin + 1;
  Value* part = part_of(copy, i, end);
  variable = all_.variables.find(name);
  if (part == nullptr || variable == nullptr) return;
  if (has_index && (copy.is(Kind::Host) || copy.is(Kind::Pointer))) return;
  all_.variables.expose(value);
  *part = std::move(value);
  variable->value = std::move(copy);
  all_.effects.mark_followed(sign);
}

Value PlaceReader::address_of() {
  const std::size_t offset = all_.text.at(all_.cursor.at).offset;
  ++all_.cursor.at;
  const std::size_t name = all_.cursor.at;
  const auto found = all_.text.at(name).kind == Token::Kind::Word
                         ? all_.variables.locate(std::string(all_.text.at(name).text))
                         : std::nullopt;
  const auto reference = [&](std::size_t element) {
    Value value;
    value.kind = Kind::Reference;
    value.word = found->second;
    value.depth = found->first;
    value.begin = element;
    value.offset = offset;
    return value;
  };
  if (found && all_.text.at(name + 1).is("[")) {
    // &x[i] is the pointer x + i, or the address of an array's element.
    const std::size_t close = all_.text.closing(name + 1);
    const Value base = all_.variables.scopes()[found->first][found->second].value;
    const Value index =
        close < all_.cursor.end ? all_.expressions.evaluate(name + 2, close) : Value();
    const auto known = index.is(Kind::Int) ? index.size.number() : std::nullopt;
    const bool is_last = !is_one_of(all_.text.at(close + 1), {".", "->", "["});
    if (base.is(Kind::Pointer) && close < all_.cursor.end && is_last) {
      all_.cursor.at = close + 1;
      return combine("+", base, index, offset);
    }
    if (base.is(Kind::List) && known && is_last && *known >= 0 &&
        *known < static_cast<std::int64_t>(base.parts.size())) {
      all_.cursor.at = close + 1;
      return reference(static_cast<std::size_t>(*known) + 1);
    }
  } else if (found && !is_one_of(all_.text.at(name + 1), {".", "->", "::", "<", "("})) {
    ++all_.cursor.at;
    return reference(0);
  }
  Value value = all_.expressions.unary();
  if (value.is(Kind::Kernel) || value.is(Kind::Host)) return value;
  // A part of the variable may be written through this address, so its value becomes unknown.
  if (found && !value.is(Kind::Host))
    all_.variables.forget(found->second, offset, "has a part whose address is taken here");
  return unknown(offset, "what this address points to is not known");
}

Value PlaceReader::size_of() {
  const std::size_t offset = all_.text.at(all_.cursor.at).offset;
  ++all_.cursor.at;
  if (!all_.text.at(all_.cursor.at).is("("))
    return unknown(offset, "the size of the operand of this sizeof is not known");
  const std::size_t close = std::min(all_.text.closing(all_.cursor.at), all_.cursor.end);
  const std::size_t name = all_.cursor.at + 1 + (all_.text.at(all_.cursor.at + 1).is("*") ? 1 : 0);
  const bool is_element =
      all_.text.at(all_.cursor.at + 1).is("*") ||
      (all_.text.at(name + 1).is("[") && all_.text.closing(name + 1) + 1 == close);
  const TypeAt type = all_.text.type_at(all_.cursor.at + 1, close);
  const Variable* variable = all_.variables.find(std::string(all_.text.at(name).text));
  all_.cursor.at = std::min(close + 1, all_.cursor.end);
  const auto unclear = [&] {
    return unknown(offset, fmt::format("the size of '{}' is not known",
                                       sanitise(std::string(all_.text.at(name).text), 60)));
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

}  // namespace kw::import
