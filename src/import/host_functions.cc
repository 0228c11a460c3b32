// Interprets calls of the file's own functions, with references and default arguments.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "import/host_reader.h"
#include "import/host_values.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;
using Token = lex::Token;

constexpr std::size_t kDeepestCalls = 8;

}  // namespace

void FunctionReader::check_text(const Item& function) {
  for (std::size_t i = function.begin; i < std::min(function.end, all_.file.source.tokens.size());
       ++i) {
    const Token& token = all_.file.source.tokens[i];
    if (token.kind == Token::Kind::Word) check_macro(std::string(token.text), token.offset, 0);
  }
  for (const DoubtfulText& doubt : all_.file.source.doubtful) {
    const std::size_t begin = all_.file.source.tokens[function.begin].offset;
    const std::size_t end =
        all_.file.source.tokens[std::min(function.end, all_.file.source.tokens.size()) - 1].offset;
    const bool is_around = doubt.range.begin <= begin && end <= doubt.range.end;
    const bool is_inside = begin <= doubt.range.begin && doubt.range.begin <= end;
    if (is_around || is_inside)
      all_.record.miss(doubt.range.begin, "preprocessor condition",
                       fmt::format("whether this condition holds is not known before the "
                                   "file is compiled: {}",
                                   sanitise(doubt.condition, 60)));
  }
}

const Tokens& FunctionReader::body_of(const Item& function) {
  const auto [body, is_new] = bodies_.try_emplace(&function);
  if (is_new)
    body->second = expand_macros(all_.file.source, function.body_open + 1, function.body_close);
  return body->second;
}

void FunctionReader::check_macro(const std::string& name, std::size_t offset, int depth) {
  constexpr int kDeepest = 8;
  const Macro* macro = macro_at(all_.file.source, name, offset);
  if (macro == nullptr || depth > kDeepest) return;
  if (macro->is_doubtful)
    return all_.record.miss(
        offset, "macro",
        fmt::format(
            "which definition of the macro '{}' is used is not known before the file is compiled",
            sanitise(name, 60)));
  for (const Token& token : lex::tokenize(macro->body))
    if (token.kind == Token::Kind::Word && token.text != name)
      check_macro(std::string(token.text), offset, depth + 1);
}

Value FunctionReader::run_body(const Tokens& tokens, std::size_t begin, std::size_t end,
                               bool* is_certain) {
  const Tokens* own = all_.text.switch_to(&tokens);
  const int branches = std::exchange(all_.paths.open_branches, 0);
  const auto leap = std::exchange(all_.paths.leap, std::nullopt);
  const auto doubt = std::exchange(all_.paths.doubt, std::nullopt);
  const auto returned = std::exchange(all_.paths.returned, {});
  const auto path = std::exchange(all_.paths.conditions, {});
  const auto aliases = all_.types.aliases;
  const std::size_t at = all_.cursor.at;
  const std::size_t stop = all_.cursor.end;
  all_.paths.result = Value();
  ++all_.effort.depth;
  all_.statements.block(begin, end);
  --all_.effort.depth;
  all_.paths.close_branches(0);
  if (is_certain != nullptr) *is_certain = all_.paths.returned.empty() && !all_.paths.doubt;
  Value result = all_.paths.merged_result();
  all_.types.aliases = aliases;
  all_.paths.conditions = path;
  all_.paths.returned = returned;
  all_.paths.doubt = doubt;
  all_.paths.leap = leap;
  all_.paths.open_branches = branches;
  all_.text.switch_to(own);
  all_.cursor.at = at;
  all_.cursor.end = stop;
  hide_addresses(result);
  return result;
}

std::optional<std::pair<std::size_t, std::string>> FunctionReader::place_of_argument(
    std::size_t open, std::size_t index) {
  const auto parts = all_.text.parts_between(open + 1, all_.text.closing(open), ",");
  if (index >= parts.size()) return std::nullopt;
  const auto [from, to] = parts[index];
  const auto found = all_.text.at(from).kind == Token::Kind::Word
                         ? all_.variables.locate(std::string(all_.text.at(from).text))
                         : std::nullopt;
  if (!found || from + 1 == to) return found;
  // The function may write a part of the variable through a reference, so the variable becomes
  // unknown.
  if (is_one_of(all_.text.at(from + 1), {".", "->", "["}))
    all_.variables.forget(found->second, all_.text.place(from),
                          "has a part that is passed by reference here");
  return std::nullopt;
}

void FunctionReader::bind_templates(const Item& function, const std::vector<std::string>& templates,
                                    const std::vector<Value>& values, Scopes& scopes) {
  for (std::size_t i = 0; i < function.templates.size(); ++i) {
    const TemplateParameter& parameter = function.templates[i];
    std::string given = i < templates.size() ? templates[i] : "";
    if (given.starts_with('"')) given = given.substr(1, given.size() - 2);
    for (std::size_t k = 0;
         given.empty() && k < std::min(values.size(), function.parameters.size()); ++k)
      if (function.parameters[k].type == parameter.name && values[k].is(Kind::Pointer) &&
          values[k].word != "auto")
        given = values[k].word;
    if (given.empty() && all_.stack.callers.empty() && !parameter.fallback.empty())
      all_.record.note(
          all_.file.source.tokens[function.begin].offset,
          fmt::format("the plan assumes that '{}' of the template '{}' is {}, its default",
                      parameter.name, function.name, sanitise(parameter.fallback, 60)));
    if (given.empty()) given = parameter.fallback;
    if (parameter.kind == "typename") {
      if (!given.empty()) all_.types.aliases[parameter.name] = device_type(given, all_.types);
      continue;
    }
    Value value = unknown(all_.file.source.tokens[function.begin].offset,
                          fmt::format("the template argument '{}' of '{}' is not known",
                                      parameter.name, function.name));
    std::int64_t number = 0;
    const auto read = std::from_chars(given.data(), given.data() + given.size(), number);
    if (!given.empty() && read.ec == std::errc() && read.ptr == given.data() + given.size())
      value = integer(number);
    if (given == "true" || given == "false") value = integer(given == "true");
    if (all_.file.kernel_named(given) != nullptr && !given.empty()) {
      value.kind = Kind::Kernel;
      value.word = given;
    }
    scopes.back()[parameter.name] = {std::move(value), parameter.kind, 0};
  }
}

Value FunctionReader::default_of(const FunctionParameter& parameter) {
  if (parameter.default_end <= parameter.default_begin)
    return unknown(all_.file.source.tokens[0].offset,
                   fmt::format("no value is given for '{}' in this call", parameter.name));
  Tokens& tokens = defaults_[parameter.default_begin];
  if (tokens.empty())
    tokens = expand_macros(all_.file.source, parameter.default_begin, parameter.default_end);
  Scopes own;
  own.push_back(all_.variables.scopes().front());
  std::swap(all_.variables.scopes(), own);
  const Tokens* outer = all_.text.switch_to(&tokens);
  const TypeAt type{device_type(parameter.type, all_.types), parameter.stars, parameter.is_const,
                    1};
  Value value = all_.casts.cast(type, all_.expressions.evaluate(0, tokens.size()),
                                all_.file.source.tokens[parameter.default_begin].offset);
  all_.text.switch_to(outer);
  std::swap(all_.variables.scopes(), own);
  return value;
}

std::optional<Value> FunctionReader::call_own(const std::string& name,
                                              const std::vector<std::string>& templates,
                                              const std::vector<Value>& values, std::size_t open,
                                              std::size_t offset) {
  const Item* function = all_.file.function_named(name, values.size());
  if (function == nullptr) return std::nullopt;
  if (auto refused = refuse(*function, name, offset)) {
    all_.effects.forget_arguments(open + 1, all_.text.closing(open), values, name);
    return refused;
  }
  check_text(*function);
  const Tokens& body = body_of(*function);
  const References references = references_of(*function, values, open);
  const TypeNames types = all_.types;
  Scopes inner = bind_arguments(*function, templates, values, offset);
  inner[0] = std::move(all_.variables.scopes()[0]);
  const Tokens* tokens = &all_.text.tokens();
  Scopes outer = std::exchange(all_.variables.scopes(), std::move(inner));
  all_.stack.callers.push_back(function);
  all_.stack.frames.emplace_back(tokens, &outer);
  bool is_certain = false;
  Value result = run_body(body, 0, body.size(), &is_certain);
  all_.stack.frames.pop_back();
  all_.stack.callers.pop_back();
  all_.types.aliases = types.aliases;
  Scopes ended = std::exchange(all_.variables.scopes(), std::move(outer));
  all_.variables.scopes()[0] = std::move(ended[0]);
  write_back({*function, body, references, is_certain}, ended, offset);
  // The function may write through an address that it was given, so the variable becomes unknown.
  for (std::size_t i = 0; i < std::min(values.size(), function->parameters.size()); ++i)
    if (Variable* variable = all_.variables.variable_of(values[i]);
        variable != nullptr && !function->parameters[i].is_const)
      variable->value = unknown(offset, fmt::format("'{}' may be set by '{}' through its address",
                                                    values[i].word, function->name));
  return result;
}

/// The unknown result of a call that cannot be followed, because the function calls itself or is
/// one of several; nothing if the call can be followed.
std::optional<Value> FunctionReader::refuse(const Item& function, const std::string& name,
                                            std::size_t offset) {
  if (all_.stack.callers.size() >= kDeepestCalls ||
      std::ranges::find(all_.stack.callers, &function) != all_.stack.callers.end()) {
    all_.record.miss(
        offset, "recursion",
        fmt::format("the plan drafter cannot follow '{}', which calls itself or is called "
                    "too deep inside other functions",
                    name));
    return Value();
  }
  for (const Item& other : all_.file.items) {
    if (&other == &function || other.kind != function.kind || !other.is_defined() ||
        other.name != function.name || other.parameters.size() != function.parameters.size())
      continue;
    const std::string why = fmt::format("'{}' is the name of several functions", name);
    const Tokens& tokens = all_.file.source.tokens;
    if (all_.effects.may_work(tokens, other.body_open, other.body_close) ||
        all_.effects.may_work(tokens, function.body_open, function.body_close))
      all_.record.miss(offset, "overload", why);
    return unknown(offset, why);
  }
  return std::nullopt;
}

/// The variables that are passed by reference, by the index of the parameter.
FunctionReader::References FunctionReader::references_of(const Item& function,
                                                         const std::vector<Value>& values,
                                                         std::size_t open) {
  References references;
  for (std::size_t i = 0; i < std::min(values.size(), function.parameters.size()); ++i) {
    const FunctionParameter& parameter = function.parameters[i];
    if (parameter.is_reference && !(parameter.is_const && parameter.stars == 0))
      if (const auto found = place_of_argument(open, i)) references[i] = *found;
  }
  return references;
}

/// The scopes in which the function's body runs: of the file (still empty), of the parameters, and
/// of the body.
Scopes FunctionReader::bind_arguments(const Item& function,
                                      const std::vector<std::string>& templates,
                                      const std::vector<Value>& values, std::size_t offset) {
  Scopes inner(2);
  bind_templates(function, templates, values, inner);
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const FunctionParameter& parameter = function.parameters[i];
    const TypeAt type{device_type(parameter.type, all_.types), parameter.stars, parameter.is_const,
                      1};
    Value value =
        i < values.size() ? all_.casts.cast(type, values[i], offset) : default_of(parameter);
    if (value.is(Kind::Unknown) && i >= values.size()) value.offset = offset;
    hide_addresses(value);
    inner[1][parameter.name] = {std::move(value), type.type, type.stars};
  }
  inner.emplace_back();
  return inner;
}

/// Gives the caller's variables what the function set by reference, and makes unknown what it may
/// have set. `ended` are the scopes at the end of its body.
void FunctionReader::write_back(const Ended& call, Scopes& ended, std::size_t offset) {
  const Tokens* own = all_.text.switch_to(&call.body);
  const std::set<std::string> written = all_.text.names_written(0, call.body.size());
  all_.text.switch_to(own);
  if (!call.is_certain)
    for (auto& [word, variable] : all_.variables.scopes()[0])
      if (written.contains(word))
        all_.variables.forget(word, offset,
                              "is set by a function that may return before it sets it");
  std::set<std::pair<std::size_t, std::string>> seen;
  for (const auto& [i, found] : call.references) {
    const std::string& word = call.function.parameters[i].name;
    const bool is_exact = seen.insert(found).second && (call.is_certain || !written.contains(word));
    all_.variables.scopes()[found.first][found.second].value =
        is_exact ? ended[1][word].value
                 : unknown(offset,
                           fmt::format(
                               "'{}' is set by '{}' in a way that the plan drafter cannot follow",
                               found.second, call.function.name));
  }
}

}  // namespace kw::import
