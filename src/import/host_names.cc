// Evaluates names, types and casts in the expressions of a host function.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "import/host_reader.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

constexpr std::string_view kRealFunctions[] = {"sqrt", "exp", "log", "sin", "cos", "pow"};

/// Whether an expression contains no real number and no division of reals.
bool is_whole(const Size& size) {
  if (size.op() == Size::Op::Text || (size.op() == Size::Op::Binary && size.word() == "//"))
    return false;
  if (size.op() == Size::Op::Call &&
      std::ranges::find(kRealFunctions, size.word()) != std::end(kRealFunctions))
    return false;
  return std::ranges::all_of(size.parts(), is_whole);
}

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
        bool has_unknown = at(from).is("decltype");
        for (std::size_t k = from; k < to; ++k)
          if (const Variable* variable = find(std::string(at(k).text)))
            has_unknown =
                has_unknown || !(variable->value.is(Kind::Int) || variable->value.is(Kind::Kernel));
        if (value.is(Kind::Int))
          words = value.size.replaced([](const Size&) { return std::nullopt; }).to_text();
        else if (value.is(Kind::Kernel) && find(type.type) != nullptr)
          words = "\"" + value.word + "\"";
        else if (has_unknown)
          miss(place(from),
               fmt::format("this template argument is not known: {}",
                           value.word.empty() ? "its value depends on data" : value.word));
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
  if (has_templates || (find(name) == nullptr && kernel_named(name) != nullptr)) {
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
  if (!at(at_).is("<")) return unknown(offset, "the plan drafter cannot follow this cast");
  const std::size_t after = after_angles(*tokens_, at_, end_);
  const TypeAt type = after > at_ + 1 ? type_at(at_ + 1, after - 1) : TypeAt();
  if (!at(after).is("(") || type.end == 0)
    return unknown(offset, "the plan drafter cannot follow this cast");
  const std::size_t close = std::min(closing(after), end_);
  Value value = evaluate(after + 1, close);
  at_ = std::min(close + 1, end_);
  return word == "const_cast" ? value : cast(type, std::move(value), offset);
}

Value HostReader::cast(const TypeAt& type, Value value, std::size_t offset) {
  if (type.stars > 0) {
    if (value.is(Kind::List) && !value.word.empty()) {
      // The array may now change through a pointer to its first element, so its value becomes
      // unknown.
      forget(value.word, offset, "has elements that another name refers to as well");
      return unknown(
          offset,
          fmt::format("the plan drafter cannot tell which elements this pointer to '{}' refers to",
                      value.word));
    }
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
  if ((value.is(Kind::Int) || value.is(Kind::Real)) && bytes_of_type(type.type) > 0) {
    return cast_number(type.type, value, offset);
  } else if (value.is(Kind::List) && bytes_of_type(type.type) > 0 && value.parts.size() == 1) {
    return cast(type, Value(value.parts.front()), offset);
  } else if (value.is(Kind::List) && type.type != "auto" && bytes_of_type(type.type) == 0 &&
             type.type.find("::") == std::string::npos) {
    value.kind = Kind::Struct;
    value.word = type.type;
  }
  return value;
}

/// A number converted to another type.
Value HostReader::cast_number(const std::string& type, const Value& value, std::size_t offset) {
  if (type == "float" || type == "double") {
    Value real = value;
    real.kind = Kind::Real;
    return real;
  }
  const bool is_narrow_real = type.starts_with("__half") || type.starts_with("__nv_bfloat16");
  if (is_narrow_real || (bytes_of_type(type) > 8 && value.is(Kind::Int))) return value;
  if (value.is(Kind::Real)) {
    const Size& size = value.size;
    const auto whole = [&](const Size& part) -> std::optional<Size> {
      const Size& inner = part.op() == Size::Op::Named ? part.parts()[0] : part;
      if (inner.op() != Size::Op::Text) {
        const bool is_plain = inner.op() != Size::Op::Binary || inner.word() != "//";
        const bool is_real = std::ranges::find(out_.reals, part.word()) != out_.reals.end();
        return is_plain && !is_real && is_whole(part) ? std::optional(part) : std::nullopt;
      }
      const double number = std::strtod(inner.word().c_str(), nullptr);
      if (!(number >= 0 && number < 9e15) || number != std::floor(number)) return std::nullopt;
      return Size(static_cast<std::int64_t>(number));
    };
    if (size.op() == Size::Op::Binary && size.word() == "//") {
      const auto top = whole(size.parts()[0]);
      const auto bottom = whole(size.parts()[1]);
      if (top && bottom && least(*bottom).value_or(0) >= 1)
        return cast_number(type, integer(Size::binary("/", *top, *bottom)), offset);
    } else if (size.op() == Size::Op::Text || size.op() == Size::Op::Named) {
      const Size& inner = size.op() == Size::Op::Named ? size.parts()[0] : size;
      const double number = inner.op() == Size::Op::Text
                                ? std::strtod(inner.word().c_str(), nullptr)
                                : static_cast<double>(inner.number().value_or(-1));
      if (number >= 0 && number < 9e15)
        return cast_number(type, integer(static_cast<std::int64_t>(number)), offset);
    } else if (const auto same = whole(size)) {
      return cast_number(type, integer(*same), offset);
    }
    return unknown(
        offset, "this floating-point number cannot be converted to an integer of the launch plan");
  }
  const Size& size = value.size;
  const auto low = least(size);
  const auto high = greatest(size);
  if (type == "bool") {
    const bool is_truth = low && high && *low >= 0 && *high <= 1;
    return is_truth ? value : integer(Size::binary("!=", size, 0));
  }
  const bool is_unsigned = type.starts_with("u") || type == "size_t";
  const int bits = 8 * bytes_of_type(type);
  if (is_unsigned && low.value_or(-1) < 0) {
    if (inside_ > 0 || value.size.number())
      return unknown(
          offset, fmt::format("this value may be below 0, which the type '{}' cannot hold", type));
    require(integer(Size::binary(">=", size, 0)), offset);
  }
  if (bits >= 32 || bits == 0) return value;
  const std::int64_t most = (std::int64_t{1} << (is_unsigned ? bits : bits - 1)) - 1;
  if (low && high && *low >= -most - 1 && *high <= most) return value;
  if (is_unsigned) return integer(Size::binary("%", size, most + 1));
  return unknown(offset, fmt::format("this value may be larger than the type '{}' can hold", type));
}

std::optional<std::pair<std::size_t, std::string>> HostReader::locate(
    const std::string& name) const {
  for (std::size_t scope = scopes_.size(); scope-- > 0;)
    if (const auto found = scopes_[scope].find(name); found != scopes_[scope].end()) {
      const auto& alias = found->second.alias;
      return alias ? *alias : std::pair(scope, name);
    }
  return std::nullopt;
}

HostReader::Variable* HostReader::find(const std::string& name) {
  const auto found = locate(name);
  if (!found || found->first >= scopes_.size()) return nullptr;
  const auto variable = scopes_[found->first].find(found->second);
  return variable != scopes_[found->first].end() ? &variable->second : nullptr;
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
  const Macro* macro = macro_at(source_, name, place(at_ > 0 ? at_ - 1 : 0));
  // The value of a macro is not kept for later uses if the file defines the macro again; a
  // constant's value is.
  const bool is_lasting = macro == nullptr || !source_.macro_history.contains(name);
  if (const auto known = globals_.find(name); is_lasting && known != globals_.end())
    return known->second;
  if (!resolving_.insert(name).second) return unknown(0, "");
  Value value = global(name);
  resolving_.erase(name);
  if (is_lasting) globals_[name] = value;
  return value;
}

/// The value of a name that is no local variable: a macro, a constant of the file, or a word of a
/// library.
Value HostReader::global(const std::string& name) {
  const auto in = [&](const Tokens& tokens, std::size_t begin, std::size_t end,
                      std::size_t offset) {
    const Tokens* own = tokens_;
    tokens_ = &tokens;
    Value value = evaluate(begin, end);
    tokens_ = own;
    if (value.is(Kind::Int) && is_nameable(name, value.size))
      value.size = Size::named(name, value.size);
    if (value.is(Kind::Unknown)) value.offset = offset;
    return value;
  };
  if (const Macro* macro = macro_at(source_, name, place(at_ > 0 ? at_ - 1 : 0));
      macro != nullptr && !macro->is_function) {
    Tokens& body = macro_bodies_[macro];
    const lex::Tokens own = lex::tokenize(macro->body);
    body.assign(own.begin(), own.end());
    // Names in a macro's body are looked up where the macro is used, so its tokens get that offset.
    const std::size_t offset = place(at_ > 0 ? at_ - 1 : 0);
    for (Token& token : body) token.offset = offset;
    return in(body, 0, body.size(), macro->offset);
  }
  if (source_.knobs.contains(name)) return integer(Size::name(name));
  for (const Item& item : items_) {
    if (item.kind != Item::Kind::Variable || item.name != name) continue;
    for (const DoubtfulText& doubt : source_.doubtful)
      if (const std::size_t at = source_.tokens[item.begin].offset;
          doubt.range.begin <= at && at < doubt.range.end)
        return unknown(at, fmt::format("'{}' is defined only under the preprocessor condition {}, "
                                       "which this file does not decide",
                                       name, sanitise(doubt.condition, 60)));
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
  return unknown(0,
                 fmt::format("the value of '{}' is not known at this place", name.substr(0, 60)));
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
