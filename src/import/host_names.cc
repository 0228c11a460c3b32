// Evaluates names, types and casts in the expressions of a host function.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "import/host_reader.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

}  // namespace

Value HostReader::named() {
  const std::size_t offset = at(at_).offset;
  std::string name(at(at_).text);
  static constexpr auto kCasts = {"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"};
  if (std::ranges::find(kCasts, name) != std::end(kCasts)) return cast_expression(name);
  ++at_;
  while (at_ < end_ && at(at_).is("::") && at(at_ + 1).kind == Token::Kind::Word) {
    name += "::" + std::string(at(at_ + 1).text);
    at_ += 2;
  }
  std::vector<std::string> templates;
  bool has_templates = false;
  if (at_ < end_ && at(at_).is("<") && after_launch_open(*tokens_, at_) == 0) {
    const std::size_t after = after_angles(*tokens_, at_, end_);
    const bool is_list =
        after > at_ + 1 &&
        (at(after).is("(") || at(after).is("{") || at(after).is("::") || after >= end_ ||
         at(after).is(",") || at(after).is(")") || after_launch_open(*tokens_, after) != 0);
    const bool is_kernel = kernel_named(name) != nullptr;
    if (is_list && (is_kernel || at(after).is("(") || at(after).is("{"))) {
      has_templates = true;
      for (const auto& [from, to] : parts_between(at_ + 1, after - 1, ",")) {
        const TypeAt type = type_at(from, to);
        const bool is_type = type.end == to && (type.stars > 0 || bytes_of_type(type.type) > 0 ||
                                                find(type.type) == nullptr);
        const Value value =
            is_type && !source_.macros.contains(type.type) && bytes_of_type(type.type) > 0
                ? Value()
                : evaluate(from, to);
        std::string words;
        if (value.is(Kind::Int))
          words = value.size.replaced([](const Size&) { return std::nullopt; }).to_text();
        else if (type.end == to)
          words = "\"" + type.type + std::string("**").substr(0, type.stars > 0 ? 1 : 0) + "\"";
        else
          for (std::size_t k = from; k < to; ++k) words += at(k).text;
        templates.push_back(std::move(words));
      }
      at_ = after;
    }
  }
  if (at_ < end_ && after_launch_open(*tokens_, at_) != 0) return launch(name, templates, offset);
  if (at_ < end_ && at(at_).is("(")) return call(name, templates, offset);
  if (at_ < end_ && at(at_).is("{") && (name == "dim3" || bytes_of_type(name) > 0)) {
    Value list = braces();
    return cast({device_type(name, types_), 0, false, 1}, std::move(list), offset);
  }
  if (has_templates || kernel_named(name) != nullptr) {
    Value value;
    value.kind = Kind::Kernel;
    value.word = name;
    value.names = templates;
    return value;
  }
  Value value = lookup(name);
  if (value.is(Kind::Unknown) && value.offset == 0) value.offset = offset;
  return value;
}

Value HostReader::cast_expression(std::string_view word) {
  const std::size_t offset = at(at_).offset;
  ++at_;
  if (!at(at_).is("<")) return unknown(offset, "this cast cannot be followed");
  const std::size_t after = after_angles(*tokens_, at_, end_);
  const TypeAt type = after > at_ + 1 ? type_at(at_ + 1, after - 1) : TypeAt();
  if (!at(after).is("(") || type.end == 0) return unknown(offset, "this cast cannot be followed");
  const std::size_t close = std::min(closing(after), end_);
  Value value = evaluate(after + 1, close);
  at_ = std::min(close + 1, end_);
  return word == "const_cast" ? value : cast(type, std::move(value), offset);
}

Value HostReader::cast(const TypeAt& type, Value value, std::size_t offset) const {
  if (type.stars > 0) {
    if (value.is(Kind::Pointer)) value.word = type.type;
    if (value.is(Kind::Int) && value.size.is(0)) value.kind = Kind::Null;
    return value;
  }
  if (type.type == "dim3") {
    if (value.is(Kind::Dim3) || value.is(Kind::Unknown)) return value;
    Value dim = value;
    if (value.is(Kind::Int)) dim.parts = {value};
    dim.kind = Kind::Dim3;
    dim.parts.resize(3, integer(1));
    return dim;
  }
  const bool is_real = type.type == "float" || type.type == "double";
  if (is_real && value.is(Kind::Int)) {
    value.kind = Kind::Real;
  } else if (!is_real && value.is(Kind::Real) && bytes_of_type(type.type) > 0) {
    const Size& size = value.size;
    if (size.op() == Size::Op::Binary && size.word() == "//") {
      value = integer(Size::binary("/", size.parts()[0], size.parts()[1]));
    } else if (size.op() == Size::Op::Text) {
      const double number = std::strtod(size.word().c_str(), nullptr);
      value = number >= 0 && number < 9e15 ? integer(static_cast<std::int64_t>(number))
                                           : unknown(offset, "this number cannot be a size");
    } else if (size.op() != Size::Op::Name && size.op() != Size::Op::Number) {
      value = unknown(offset, "this real number cannot be made an integer of the plan");
    } else {
      value.kind = Kind::Int;
    }
  } else if (value.is(Kind::List) && bytes_of_type(type.type) > 0 && value.parts.size() == 1) {
    return cast(type, Value(value.parts.front()), offset);
  } else if (value.is(Kind::List) && type.type != "auto" && bytes_of_type(type.type) == 0 &&
             type.type.find("::") == std::string::npos) {
    value.kind = Kind::Struct;
    value.word = type.type;
  }
  return value;
}

HostReader::Variable* HostReader::find(const std::string& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
  return nullptr;
}

Value HostReader::lookup(const std::string& name) {
  if (name == "true") return integer(1);
  if (name == "false") return integer(0);
  if (name == "nullptr" || name == "NULL") {
    Value value;
    value.kind = Kind::Null;
    return value;
  }
  if (const Variable* variable = find(name)) return variable->value;
  if (const auto known = globals_.find(name); known != globals_.end()) return known->second;
  if (!resolving_.insert(name).second) return unknown(0, "");
  Value value = global(name);
  resolving_.erase(name);
  globals_[name] = value;
  return value;
}

/// The value of a name that is no variable: a macro, a constant of the file, or a word of a
/// library.
Value HostReader::global(const std::string& name) {
  const auto in = [&](const Tokens& tokens, std::size_t begin, std::size_t end,
                      std::size_t offset) {
    const Tokens* own = tokens_;
    tokens_ = &tokens;
    Value value = evaluate(begin, end);
    tokens_ = own;
    if (value.is(Kind::Int) && value.size.op() == Size::Op::Number)
      value.size = Size::named(name, value.size);
    if (value.is(Kind::Unknown)) value.offset = offset;
    return value;
  };
  if (const auto macro = source_.macros.find(name);
      macro != source_.macros.end() && !macro->second.is_function) {
    Tokens& body = macro_bodies_[name];
    body = task::tokenize(macro->second.body);
    for (Token& token : body) token.offset = macro->second.offset;
    return in(body, 0, body.size(), macro->second.offset);
  }
  if (source_.knobs.contains(name)) return integer(Size::name(name));
  for (const Item& item : items_) {
    if (item.kind != Item::Kind::Variable || item.name != name) continue;
    std::size_t equals = item.begin;
    while (equals < item.end && !source_.tokens[equals].is("=")) ++equals;
    const std::size_t stop =
        item.end > 0 && source_.tokens[item.end - 1].is(";") ? item.end - 1 : item.end;
    if (equals + 1 < stop)
      return in(source_.tokens, equals + 1, stop, source_.tokens[item.begin].offset);
    return unknown(source_.tokens[item.begin].offset,
                   fmt::format("what '{}' holds is not known before the plan runs", name));
  }
  if (name.starts_with("cudaMemcpy") || name.starts_with("cudaFuncAttribute") ||
      name.starts_with("cudaDevAttr") || name.starts_with("cudaSuccess") ||
      name.starts_with("torch::k") || name.starts_with("at::k") || name.starts_with("cudaStream") ||
      name.starts_with("cudaEvent"))
    return text(name);
  return unknown(0, fmt::format("'{}' is not known here", name.substr(0, 60)));
}

std::vector<Value> HostReader::arguments(std::vector<std::size_t>* places) {
  std::vector<Value> values;
  const std::size_t close = std::min(closing(at_), end_);
  for (const auto& [from, to] : parts_between(at_ + 1, close, ",")) {
    if (places != nullptr) places->push_back(place(from));
    values.push_back(evaluate(from, to));
    if (values.size() >= 128) break;
  }
  at_ = std::min(close + 1, end_);
  return values;
}

}  // namespace kw::import
