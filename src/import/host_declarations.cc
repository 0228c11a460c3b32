// Interprets the declarations of a host function: its parameters, variables, references and arrays.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "import/host_reader.h"
#include "import/words.h"

namespace kw::import {

namespace {

bool is_tensor_type(std::string_view type) {
  return type == "torch::Tensor" || type == "at::Tensor" || type == "Tensor";
}

bool is_stream_type(std::string_view type) {
  return type == "cudaStream_t" || type.ends_with("CUDAStream");
}

}  // namespace

/// Adds those global variables that functions of the file may change. A variable has its initial
/// value where main() begins, or if nothing in the file changes it.
void HostReader::add_file_variables() {
  scopes_.emplace_back();
  const Tokens& of_file = source_.tokens;
  const Tokens* own = std::exchange(tokens_, &of_file);
  std::set<std::string> written;
  for (const Item& item : items_) {
    if (!item.is_function() || item.kind == Item::Kind::Kernel || !item.is_defined()) continue;
    written.merge(names_written(item.body_open, item.body_close));
  }
  for (const Item& item : items_) {
    if (item.kind != Item::Kind::Variable || !written.contains(item.name)) continue;
    bool is_fixed = false;
    for (std::size_t i = item.begin; i < item.end && !at(i).is("="); ++i)
      is_fixed = is_fixed || is_one_of(at(i), {"const", "constexpr", "__device__", "__constant__",
                                               "__shared__", "__managed__"});
    if (is_fixed) continue;
    const TypeAt type = type_at(item.begin, item.end);
    Value value = out_.is_main ? global(item.name)
                               : unknown(place(item.begin),
                                         fmt::format("what '{}' holds is set elsewhere in the file",
                                                     sanitise(item.name, 60)));
    scopes_[0][item.name] = {std::move(value), type.type, type.stars};
  }
  tokens_ = own;
}

void HostReader::bind_parameters(const Item& function) {
  const std::size_t offset = source_.tokens[function.parameters_open].offset;
  for (const FunctionParameter& parameter : function.parameters) {
    if (out_.is_main) {
      Value given = unknown(offset, "what main() is given is not known before the plan runs");
      if (parameter.stars > 0) given.kind = Value::Kind::Host;
      scopes_.back()[parameter.name] = {std::move(given), parameter.type, parameter.stars};
      continue;
    }
    const std::string type = device_type(parameter.type, types_);
    Value value;
    if (is_tensor_type(parameter.type) || parameter.stars == 1) {
      Buffer buffer;
      buffer.name = parameter.name;
      buffer.element = is_tensor_type(parameter.type) || type == "void" ? "" : type;
      buffer.is_const = parameter.is_const && parameter.stars == 1;
      buffer.is_tensor = parameter.stars == 0;
      buffer.offset = offset;
      const int index = add_buffer(std::move(buffer));
      if (parameter.stars == 0) {
        value = tensor(index);
      } else {
        value.kind = Value::Kind::Pointer;
        value.buffer = index;
        value.word = type;
      }
    } else if (is_stream_type(parameter.type)) {
      value.kind = Value::Kind::Stream;
    } else if (parameter.stars == 0 && (type == "float" || type == "double" || type == "__half" ||
                                        type == "__nv_bfloat16")) {
      out_.reals.push_back(parameter.name);
      value = real(Size::name(parameter.name));
    } else if (parameter.stars == 0 && bytes_of_type(type) > 0) {
      out_.integers.push_back(parameter.name);
      value = integer(Size::name(parameter.name));
    } else {
      value = unknown(offset, fmt::format("what '{}' of type {} holds is not known", parameter.name,
                                          parameter.type));
    }
    scopes_.back()[parameter.name] = {value, type, parameter.stars};
  }
}

HostReader::TypeAt HostReader::type_at(std::size_t i, std::size_t end) const {
  static constexpr auto kNumbers = {"unsigned", "signed", "long", "short", "int", "char"};
  TypeAt type;
  bool is_number = false;
  for (; i < end; ++i) {
    const Token& token = at(i);
    if (is_one_of(token, {"const", "constexpr"})) {
      type.is_const = type.is_const || type.stars == 0;
      continue;
    }
    if (is_one_of(token, {"static", "thread_local"})) type.is_static = true;
    if (is_one_of(token, {"static", "thread_local", "volatile", "struct", "typename", "inline",
                          "extern", "register"}))
      continue;
    if (token.is("*") && !type.type.empty()) {
      ++type.stars;
      continue;
    }
    if ((token.is("&") || token.is("&&")) && !type.type.empty()) {
      type.is_reference = true;
      continue;
    }
    if (is_one_of(token, {"__restrict__", "__restrict"})) continue;
    if (token.kind != Token::Kind::Word) break;
    const bool is_part = std::ranges::find(kNumbers, token.text) != kNumbers.end();
    if (!type.type.empty() && !(is_number && is_part)) break;
    if (is_one_of(token, {"return", "new", "delete", "sizeof", "if", "else", "case", "throw"}))
      return {};
    type.type += (type.type.empty() ? "" : " ") + std::string(token.text);
    is_number = is_part;
    while (at(i + 1).is("::") && at(i + 2).kind == Token::Kind::Word) {
      type.type += "::" + std::string(at(i + 2).text);
      i += 2;
    }
    if (at(i + 1).is("<"))
      if (const std::size_t after = after_angles(*tokens_, i + 1, end); after > i + 2) {
        for (std::size_t k = i + 1; k < after; ++k) type.type += at(k).text;
        i = after - 1;
      }
  }
  if (type.type.empty()) return {};
  type.type = device_type(type.type, types_);
  type.end = i;
  return type;
}

bool HostReader::declaration(std::size_t begin, std::size_t end) {
  const TypeAt type = type_at(begin, end);
  if (type.end == 0 || type.end >= end || at(type.end).kind != Token::Kind::Word) return false;
  const Token& next = at(type.end + 1);
  const bool is_last = type.end + 1 >= end;
  if (!is_last && !(next.is("=") || next.is("(") || next.is("{") || next.is("[") || next.is(",")))
    return false;
  std::size_t i = type.end;
  TypeAt own = type;
  while (i < end && at(i).kind == Token::Kind::Word) {
    i = declarator(own, i, end);
    if (i >= end || !at(i).is(",")) break;
    ++i;
    own.stars = 0;
    own.is_reference = false;
    for (; is_one_of(at(i), {"*", "&", "const", "__restrict__"}); ++i) {
      own.stars += at(i).is("*");
      own.is_reference = own.is_reference || at(i).is("&");
    }
  }
  return true;
}

std::size_t HostReader::declarator(const TypeAt& base, std::size_t name, std::size_t end) {
  const std::string word(at(name).text);
  TypeAt type = base;
  std::size_t i = name + 1;
  int dimensions = 0;
  Value extent;
  for (; at(i).is("["); i = std::min(closing(i) + 1, end)) {
    ++dimensions;
    if (closing(i) > i + 1) extent = evaluate(i + 1, closing(i));
  }
  const bool is_array = dimensions > 0;
  std::size_t stop = i;
  while (stop < end && !at(stop).is(",")) {
    if (at(stop).is("(") || at(stop).is("[") || at(stop).is("{"))
      stop = std::min(closing(stop), end);
    if (at(stop).is("<") && at(stop - 1).kind == Token::Kind::Word)
      if (const std::size_t after = after_angles(*tokens_, stop, end); after > stop + 1)
        stop = after - 1;
    if (stop < end) ++stop;
  }
  Value value;
  if (at(i).is("=") && i + 1 < stop) {
    value = evaluate(i + 1, stop);
  } else if ((at(i).is("(") || at(i).is("{")) && i < stop) {
    Value list;
    list.kind = Value::Kind::List;
    const std::size_t close = std::min(closing(i), end);
    for (const auto& [from, to] : parts_between(i + 1, close, ","))
      list.parts.push_back(evaluate(from, to));
    const bool is_one = list.parts.size() == 1 && type.type != "dim3" && at(i).is("(");
    value = is_one ? list.parts.front() : list;
  } else {
    value = unknown(place(name), fmt::format("'{}' is not set here", word));
  }
  // A reference to a variable becomes an alias of that variable.
  const bool is_bound = type.is_reference && at(i).is("=") && i + 2 == stop;
  if (const auto found = is_bound ? locate(std::string(at(i + 1).text)) : std::nullopt) {
    Variable variable({}, type.type, type.stars);
    variable.alias = *found;
    scopes_.back()[word] = std::move(variable);
    return stop;
  }
  if (type.is_reference && !type.is_const && at(i).is("=") && !value.is(Value::Kind::Tensor)) {
    for (std::size_t k = i + 1; k < stop; ++k)
      if (at(k).kind == Token::Kind::Word)
        forget(std::string(at(k).text), place(i), "has a part that another name refers to as well");
    value = unknown(
        place(i),
        fmt::format("the plan drafter cannot tell what the reference '{}' refers to", word));
  }
  if (is_array) value = array_of(type, word, std::move(value), extent, dimensions);
  expose(value);
  TypeAt whole = type;
  if (is_array) whole.stars = std::max(type.stars, 1);
  declare(word, whole, std::move(value));
  Variable& variable = scopes_.back()[word];
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
Value HostReader::array_of(const TypeAt& type, const std::string& name, Value value,
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

void HostReader::declare(const std::string& name, const TypeAt& type, Value value) {
  using Kind = Value::Kind;
  // An integer that main() reads from its arguments may be a size of the task, so it becomes a
  // name.
  const bool is_integer =
      bytes_of_type(type.type) > 0 && type.type != "float" && type.type != "double";
  if (value.is(Kind::Unknown) && out_.is_main && inside_ == 0 && type.stars == 0 && is_integer &&
      value.word.ends_with("not known before the plan runs")) {
    if (std::ranges::find(out_.integers, name) == out_.integers.end()) {
      out_.integers.push_back(name);
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
  if (!is_own_array) value = cast(type, std::move(value), value.offset);
  if (type.is_static && !(type.is_const && type.stars == 0) && !out_.is_main)
    value = unknown(value.offset, fmt::format("'{}' is static, so what it holds depends on earlier "
                                              "calls",
                                              name));
  const bool is_real_constant =
      out_.is_main && value.is(Kind::Real) && value.size.op() == Size::Op::Text;
  if ((value.is(Kind::Int) && is_nameable(name, value.size)) || is_real_constant)
    value.size = Size::named(name, value.size);
  else if (value.is(Kind::Int) && value.size.op() == Size::Op::Name &&
           value.size.word().find('#') != std::string::npos)
    out_.nicknames.try_emplace(value.size.word(), name);
  if (type.type.starts_with("std::vector") || type.type.starts_with("thrust::host") ||
      type.type.starts_with("std::unique_ptr")) {
    value.kind = value.is(Kind::List) && type.type.find("Tensor") != std::string::npos ? Kind::List
                                                                                       : Kind::Host;
    value.word = name;
  }
  if (value.is(Kind::Host) && value.word.empty()) value.word = name;
  if (value.is(Kind::Tensor) || value.is(Kind::Pointer)) {
    Buffer& buffer = out_.buffers[static_cast<std::size_t>(value.buffer)];
    if (buffer.name.empty()) buffer.name = name;
    if (buffer.element.empty() && type.stars == 1 && type.type != "void" && type.type != "auto")
      buffer.element = type.type;
  }
  Variable variable(std::move(value), type.type, type.stars);
  variable.is_const = type.is_const && type.stars == 0;
  scopes_.back()[name] = std::move(variable);
}

/// Whether a number in main() keeps its variable's name, because it may be a size of the task.
bool HostReader::is_nameable(const std::string& name, const Size& size) const {
  return out_.is_main && size.op() == Size::Op::Number &&
         std::ranges::find(out_.integers, name) == out_.integers.end();
}

}  // namespace kw::import
