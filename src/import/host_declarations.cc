// Interprets the declarations of variables, references and arrays in a host function.
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

}  // namespace

bool DeclarationReader::declaration(std::size_t begin, std::size_t end) {
  const TypeAt type = all_.text.type_at(begin, end);
  if (type.end == 0 || type.end >= end || all_.text.at(type.end).kind != Token::Kind::Word)
    return false;
  const Token& next = all_.text.at(type.end + 1);
  const bool is_last = type.end + 1 >= end;
  if (!is_last && !(next.is("=") || next.is("(") || next.is("{") || next.is("[") || next.is(",")))
    return false;
  std::size_t i = type.end;
  TypeAt own = type;
  while (i < end && all_.text.at(i).kind == Token::Kind::Word) {
    i = declarator(own, i, end);
    if (i >= end || !all_.text.at(i).is(",")) break;
    ++i;
    own.stars = 0;
    own.is_reference = false;
    for (; is_one_of(all_.text.at(i), {"*", "&", "const", "__restrict__"}); ++i) {
      own.stars += all_.text.at(i).is("*");
      own.is_reference = own.is_reference || all_.text.at(i).is("&");
    }
  }
  return true;
}

std::size_t DeclarationReader::declarator(const TypeAt& type, std::size_t name, std::size_t end) {
  const std::string word(all_.text.at(name).text);
  std::size_t i = name + 1;
  int dimensions = 0;
  Value extent;
  for (; all_.text.at(i).is("["); i = std::min(all_.text.closing(i) + 1, end)) {
    ++dimensions;
    if (all_.text.closing(i) > i + 1)
      extent = all_.expressions.evaluate(i + 1, all_.text.closing(i));
  }
  const bool is_array = dimensions > 0;
  std::size_t stop = i;
  while (stop < end && !all_.text.at(stop).is(",")) {
    if (all_.text.at(stop).is("(") || all_.text.at(stop).is("[") || all_.text.at(stop).is("{"))
      stop = std::min(all_.text.closing(stop), end);
    if (all_.text.at(stop).is("<") && all_.text.at(stop - 1).kind == Token::Kind::Word)
      if (const std::size_t after = after_angles(all_.text.tokens(), stop, end); after > stop + 1)
        stop = after - 1;
    if (stop < end) ++stop;
  }
  Value value;
  if (all_.text.at(i).is("=") && i + 1 < stop) {
    value = all_.expressions.evaluate(i + 1, stop);
  } else if ((all_.text.at(i).is("(") || all_.text.at(i).is("{")) && i < stop) {
    Value list;
    list.kind = Value::Kind::List;
    const std::size_t close = std::min(all_.text.closing(i), end);
    for (const auto& [from, to] : all_.text.parts_between(i + 1, close, ","))
      list.parts.push_back(all_.expressions.evaluate(from, to));
    const bool is_one = list.parts.size() == 1 && type.type != "dim3" && all_.text.at(i).is("(");
    value = is_one ? list.parts.front() : list;
  } else {
    value = unknown(all_.text.place(name), fmt::format("'{}' is not set here", word));
  }
  // A reference to a variable becomes an alias of that variable.
  const bool is_bound = type.is_reference && all_.text.at(i).is("=") && i + 2 == stop;
  if (const auto found =
          is_bound ? all_.variables.locate(std::string(all_.text.at(i + 1).text)) : std::nullopt) {
    Variable variable({}, type.type, type.stars);
    variable.alias = *found;
    all_.variables.innermost()[word] = std::move(variable);
    return stop;
  }
  if (type.is_reference && !type.is_const && all_.text.at(i).is("=") &&
      !value.is(Value::Kind::Tensor)) {
    for (std::size_t k = i + 1; k < stop; ++k)
      if (all_.text.at(k).kind == Token::Kind::Word)
        all_.variables.forget(std::string(all_.text.at(k).text), all_.text.place(i),
                              "has a part that another name refers to as well");
    value = unknown(
        all_.text.place(i),
        fmt::format("the plan drafter cannot tell what the reference '{}' refers to", word));
  }
  if (is_array) value = array_of(type, word, std::move(value), extent, dimensions);
  all_.variables.expose(value);
  TypeAt whole = type;
  if (is_array) whole.stars = std::max(type.stars, 1);
  declare(word, whole, std::move(value));
  Variable& variable = all_.variables.innermost()[word];
  if (is_array) {
    variable.stars = std::max(type.stars, 1);
    const bool is_counted = variable.value.is(Value::Kind::List) && !extent.is(Value::Kind::Int);
    variable.extent = is_counted ? integer(static_cast<std::int64_t>(variable.value.parts.size()))
                      : dimensions == 1 ? extent
                                        : Value();
  }
  return stop;
}

/// The value of an array variable: its elements where they are few, or a block of host memory.
Value DeclarationReader::array_of(const TypeAt& type, const std::string& name, Value value,
                                  const Value& extent, int dimensions) {
  constexpr std::int64_t kMostElements = 64;
  const auto count = extent.is(Value::Kind::Int) ? extent.size.number() : std::nullopt;
  const bool is_few = dimensions == 1 && count && *count >= 0 && *count <= kMostElements;
  const bool is_list = value.is(Value::Kind::List);
  const bool holds_places =
      type.stars > 0 || is_stream_type(type.type) || type.type.find("int") != std::string::npos;
  if (is_few && (is_list || holds_places)) {
    Value list;
    list.kind = Value::Kind::List;
    list.word = name;
    if (is_list) list.parts = value.parts;
    while (list.parts.size() < static_cast<std::size_t>(*count))
      list.parts.push_back(is_list
                               ? integer(0)
                               : unknown(value.offset, fmt::format("an element of '{}' is not set "
                                                                   "here",
                                                                   name)));
    return list;
  }
  if (is_list && dimensions == 1) return value;
  value = Value();
  value.kind = Value::Kind::Host;
  value.word = name;
  return value;
}

void DeclarationReader::declare(const std::string& name, const TypeAt& type, Value value) {
  using Kind = Value::Kind;
  // An integer that main() reads from its arguments may be a size of the task, so it becomes a
  // name.
  const bool is_integer =
      bytes_of_type(type.type) > 0 && type.type != "float" && type.type != "double";
  if (value.is(Kind::Unknown) && all_.record.is_main() && all_.paths.inside == 0 &&
      type.stars == 0 && is_integer && value.word.ends_with("not known before the plan runs")) {
    if (std::ranges::find(all_.record.program().integers, name) ==
        all_.record.program().integers.end()) {
      all_.record.program().integers.push_back(name);
      value = integer(Size::name(name));
    } else {
      value.word = fmt::format("'{}' would be read twice, and may change in between", name);
    }
  }
  if (value.is(Kind::Unknown) && type.type == "dim3" && type.stars == 0 &&
      value.word.ends_with("not set here")) {
    value = Value();
    value.kind = Kind::List;
  }
  const bool is_own_array = value.is(Kind::List) && value.word == name;
  if (!is_own_array) {
    const std::size_t offset = value.offset;
    value = all_.casts.cast(type, std::move(value), offset);
  }
  if (type.is_static && !(type.is_const && type.stars == 0) && !all_.record.is_main())
    value = unknown(value.offset, fmt::format("'{}' is static, so what it holds depends on earlier "
                                              "calls",
                                              name));
  const bool is_real_constant =
      all_.record.is_main() && value.is(Kind::Real) && value.size.op() == Size::Op::Text;
  if ((value.is(Kind::Int) && all_.record.is_nameable(name, value.size)) || is_real_constant)
    value.size = Size::named(name, value.size);
  else if (value.is(Kind::Int) && value.size.op() == Size::Op::Name &&
           value.size.word().find('#') != std::string::npos)
    all_.record.program().nicknames.try_emplace(value.size.word(), name);
  if (type.type.starts_with("std::vector") || type.type.starts_with("thrust::host") ||
      type.type.starts_with("std::unique_ptr")) {
    value.kind = value.is(Kind::List) && type.type.find("Tensor") != std::string::npos ? Kind::List
                                                                                       : Kind::Host;
    value.word = name;
  }
  if (value.is(Kind::Host) && value.word.empty()) value.word = name;
  if (value.is(Kind::Tensor) || value.is(Kind::Pointer)) {
    Buffer& buffer = all_.record.buffers()[static_cast<std::size_t>(value.buffer)];
    if (buffer.name.empty()) buffer.name = name;
    if (buffer.element.empty() && type.stars == 1 && type.type != "void" && type.type != "auto")
      buffer.element = type.type;
  }
  Variable variable(std::move(value), type.type, type.stars);
  variable.is_const = type.is_const && type.stars == 0;
  all_.variables.innermost()[name] = std::move(variable);
}

}  // namespace kw::import
