// Evaluates names in the expressions of a host function: variables, constants, macros and casts.
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

}  // namespace

Value NameReader::named() {
  const std::size_t offset = all_.text.at(all_.cursor.at).offset;
  std::string name(all_.text.at(all_.cursor.at).text);
  static constexpr auto kCasts = {"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"};
  if (std::ranges::find(kCasts, name) != std::end(kCasts)) return cast_expression(name);
  ++all_.cursor.at;
  while (all_.cursor.at < all_.cursor.end && all_.text.at(all_.cursor.at).is("::") &&
         all_.text.at(all_.cursor.at + 1).kind == Token::Kind::Word) {
    name += "::" + std::string(all_.text.at(all_.cursor.at + 1).text);
    all_.cursor.at += 2;
  }
  std::vector<std::string> templates;
  const bool has_templates = template_arguments(name, templates);
  if (all_.cursor.at < all_.cursor.end &&
      after_launch_open(all_.text.tokens(), all_.cursor.at) != 0)
    return all_.launches.launch(name, templates, offset);
  if (all_.cursor.at < all_.cursor.end && all_.text.at(all_.cursor.at).is("("))
    return all_.calls.call(name, templates, offset);
  if (all_.cursor.at < all_.cursor.end && all_.text.at(all_.cursor.at).is("{") &&
      (name == "dim3" || bytes_of_type(name) > 0)) {
    Value list = all_.expressions.braces();
    return all_.casts.cast({device_type(name, all_.types), 0, false, 1}, std::move(list), offset);
  }
  if (has_templates ||
      (all_.variables.find(name) == nullptr && all_.file.kernel_named(name) != nullptr)) {
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

/// Reads template arguments at the cursor, if they stand there; false, with the cursor unmoved, if
/// not.
bool NameReader::template_arguments(const std::string& name, std::vector<std::string>& templates) {
  if (all_.cursor.at >= all_.cursor.end || !all_.text.at(all_.cursor.at).is("<") ||
      after_launch_open(all_.text.tokens(), all_.cursor.at) != 0)
    return false;
  const std::size_t after = after_angles(all_.text.tokens(), all_.cursor.at, all_.cursor.end);
  const bool is_list =
      after > all_.cursor.at + 1 &&
      (is_one_of(all_.text.at(after), {"(", "{", "::", ",", ")"}) || after >= all_.cursor.end ||
       after_launch_open(all_.text.tokens(), after) != 0);
  const bool is_kernel = all_.file.kernel_named(name) != nullptr;
  if (!is_list || !(is_kernel || is_one_of(all_.text.at(after), {"(", "{"}))) return false;
  for (const auto& [from, to] : all_.text.parts_between(all_.cursor.at + 1, after - 1, ","))
    templates.push_back(template_argument(from, to));
  all_.cursor.at = after;
  return true;
}

/// A template argument as the plan writes it: a number, or a type or a name in quotes.
std::string NameReader::template_argument(std::size_t from, std::size_t to) {
  const TypeAt type = all_.text.type_at(from, to);
  const bool is_type = type.end == to && (type.stars > 0 || bytes_of_type(type.type) > 0 ||
                                          all_.variables.find(type.type) == nullptr);
  const Value value =
      is_type && !all_.file.source.macros.contains(type.type) && bytes_of_type(type.type) > 0
          ? Value()
          : all_.expressions.evaluate(from, to);
  bool has_unknown = all_.text.at(from).is("decltype");
  for (std::size_t k = from; k < to; ++k)
    if (const Variable* variable = all_.variables.find(std::string(all_.text.at(k).text)))
      has_unknown =
          has_unknown || !(variable->value.is(Kind::Int) || variable->value.is(Kind::Kernel));
  if (value.is(Kind::Int))
    return value.size.replaced([](const Size&) { return std::nullopt; }).to_text();
  if (value.is(Kind::Kernel) && all_.variables.find(type.type) != nullptr)
    return "\"" + value.word + "\"";
  std::string words;
  if (has_unknown)
    all_.record.miss(all_.text.place(from), "template argument",
                     fmt::format("this template argument is not known: {}",
                                 value.word.empty() ? "its value depends on data" : value.word));
  else if (type.end == to)
    words = "\"" + type.type + std::string("**").substr(0, type.stars > 0 ? 1 : 0) + "\"";
  else
    for (std::size_t k = from; k < to; ++k) words += all_.text.at(k).text;
  return words;
}

Value NameReader::cast_expression(std::string_view word) {
  const std::size_t offset = all_.text.at(all_.cursor.at).offset;
  ++all_.cursor.at;
  if (!all_.text.at(all_.cursor.at).is("<"))
    return unknown(offset, "the plan drafter cannot follow this cast");
  const std::size_t after = after_angles(all_.text.tokens(), all_.cursor.at, all_.cursor.end);
  const TypeAt type =
      after > all_.cursor.at + 1 ? all_.text.type_at(all_.cursor.at + 1, after - 1) : TypeAt();
  if (!all_.text.at(after).is("(") || type.end == 0)
    return unknown(offset, "the plan drafter cannot follow this cast");
  const std::size_t close = std::min(all_.text.closing(after), all_.cursor.end);
  Value value = all_.expressions.evaluate(after + 1, close);
  all_.cursor.at = std::min(close + 1, all_.cursor.end);
  return word == "const_cast" ? value : all_.casts.cast(type, std::move(value), offset);
}

Value NameReader::lookup(const std::string& name) {
  if (name == "true") return integer(1);
  if (name == "false") return integer(0);
  if (name == "nullptr" || name == "NULL") {
    Value value;
    value.kind = Kind::Null;
    return value;
  }
  if (const Variable* variable = all_.variables.find(name)) return variable->value;
  const Macro* macro = macro_at(all_.file.source, name,
                                all_.text.place(all_.cursor.at > 0 ? all_.cursor.at - 1 : 0));
  // The value of a macro is not kept for later uses if the file defines the macro again; a
  // constant's value is.
  const bool is_lasting = macro == nullptr || !all_.file.source.macro_history.contains(name);
  if (const auto known = globals_.find(name); is_lasting && known != globals_.end())
    return known->second;
  if (!resolving_.insert(name).second) return unknown(0, "");
  Value value = global(name);
  resolving_.erase(name);
  if (is_lasting) globals_[name] = value;
  return value;
}

Value NameReader::global(const std::string& name) {
  const auto in = [&](const Tokens& tokens, std::size_t begin, std::size_t end,
                      std::size_t offset) {
    const Tokens* own = &all_.text.tokens();
    all_.text.switch_to(&tokens);
    Value value = all_.expressions.evaluate(begin, end);
    all_.text.switch_to(own);
    if (value.is(Kind::Int) && all_.record.is_nameable(name, value.size))
      value.size = Size::named(name, value.size);
    if (value.is(Kind::Unknown)) value.offset = offset;
    return value;
  };
  if (const Macro* macro = macro_at(all_.file.source, name,
                                    all_.text.place(all_.cursor.at > 0 ? all_.cursor.at - 1 : 0));
      macro != nullptr && !macro->is_function) {
    Tokens& body = macro_bodies_[macro];
    const lex::Tokens own = lex::tokenize(macro->body);
    body.assign(own.begin(), own.end());
    // Names in a macro's body are looked up where the macro is used, so its tokens get that offset.
    const std::size_t offset = all_.text.place(all_.cursor.at > 0 ? all_.cursor.at - 1 : 0);
    for (Token& token : body) token.offset = offset;
    return in(body, 0, body.size(), macro->offset);
  }
  if (all_.file.source.knobs.contains(name)) return integer(Size::name(name));
  for (const Item& item : all_.file.items) {
    if (item.kind != Item::Kind::Variable || item.name != name) continue;
    for (const DoubtfulText& doubt : all_.file.source.doubtful)
      if (const std::size_t at = all_.file.source.tokens[item.begin].offset;
          doubt.range.begin <= at && at < doubt.range.end)
        return unknown(at, fmt::format("'{}' is defined only under the preprocessor condition {}, "
                                       "which this file does not decide",
                                       name, sanitise(doubt.condition, 60)));
    std::size_t equals = item.begin;
    while (equals < item.end && !all_.file.source.tokens[equals].is("=")) ++equals;
    const std::size_t stop =
        item.end > 0 && all_.file.source.tokens[item.end - 1].is(";") ? item.end - 1 : item.end;
    if (equals + 1 < stop)
      return in(all_.file.source.tokens, equals + 1, stop,
                all_.file.source.tokens[item.begin].offset);
    return unknown(all_.file.source.tokens[item.begin].offset,
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

}  // namespace kw::import
