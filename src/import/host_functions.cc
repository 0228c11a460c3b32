// Interprets calls of the file's own functions and of lambdas, with references and default
// arguments.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "import/host_reader.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

constexpr std::size_t kDeepestCalls = 8;

/// Makes addresses of the caller's variables unknown, since the same names mean other variables in
/// the called function.
void hide_addresses(Value& value) {
  if (value.is(Kind::Reference)) {
    Value hidden;
    hidden.word = fmt::format("the plan drafter cannot tell what the address of '{}' is used for",
                              value.word);
    hidden.offset = value.offset;
    value = std::move(hidden);
  }
  for (Value& part : value.parts) hide_addresses(part);
}

}  // namespace

const Item* HostReader::function_named(const std::string& name, std::size_t arguments) const {
  const std::string last = last_part(name);
  const Item* found = nullptr;
  for (const Item& item : items_) {
    if (!item.is_function() || item.kind == Item::Kind::Kernel || item.name != last ||
        !item.is_defined())
      continue;
    if (item.parameters.size() == arguments) return &item;
    if (found == nullptr && item.parameters.size() > arguments) found = &item;
  }
  return found;
}

Value HostReader::run_body(const Tokens& tokens, std::size_t begin, std::size_t end,
                           bool* is_certain) {
  const Tokens* own = std::exchange(tokens_, &tokens);
  const int branches = std::exchange(open_branches_, 0);
  const auto leap = std::exchange(leap_, std::nullopt);
  const auto doubt = std::exchange(doubt_, std::nullopt);
  const auto returned = std::exchange(returned_, {});
  const auto path = std::exchange(path_, {});
  const auto aliases = types_.aliases;
  const std::size_t at = at_;
  const std::size_t stop = end_;
  result_ = Value();
  ++depth_;
  block(begin, end);
  --depth_;
  close_branches(0);
  if (is_certain != nullptr) *is_certain = returned_.empty() && !doubt_;
  Value result = merged_result();
  types_.aliases = aliases;
  path_ = path;
  returned_ = returned;
  doubt_ = doubt;
  leap_ = leap;
  open_branches_ = branches;
  tokens_ = own;
  at_ = at;
  end_ = stop;
  hide_addresses(result);
  return result;
}

std::optional<std::pair<std::size_t, std::string>> HostReader::place_of_argument(
    std::size_t open, std::size_t index) {
  const auto parts = parts_between(open + 1, closing(open), ",");
  if (index >= parts.size()) return std::nullopt;
  const auto [from, to] = parts[index];
  const auto found =
      at(from).kind == Token::Kind::Word ? locate(std::string(at(from).text)) : std::nullopt;
  if (!found || from + 1 == to) return found;
  // The function may write a part of the variable through a reference, so the variable becomes
  // unknown.
  if (is_one_of(at(from + 1), {".", "->", "["}))
    forget(found->second, place(from), "has a part that is passed by reference here");
  return std::nullopt;
}

/// Interprets a call of a lambda, with the variables of the function in which the lambda was
/// written.
Value HostReader::call_lambda(const Value& lambda, const std::vector<Value>& values,
                              std::size_t open, std::size_t offset) {
  Scopes* around = nullptr;
  std::map<std::size_t, std::pair<std::size_t, std::string>> places;
  for (std::size_t i = 0; i < lambda.parts.size() && i < values.size(); ++i)
    if (lambda.parts[i].end != 0)
      if (const auto found = place_of_argument(open, i)) places[i] = *found;
  if (lambda.tokens != tokens_) {
    for (const auto& [tokens, scopes] : frames_)
      if (tokens == lambda.tokens) around = scopes;
    if (around == nullptr) {
      miss(offset, "the plan drafter cannot see the code of the lambda that is called here");
      return unknown(offset, std::string(kToldElsewhere));
    }
    std::swap(scopes_, *around);
    std::swap(scopes_[0], (*around)[0]);
  }
  if (lambda.depth > scopes_.size() || callers_.size() + static_cast<std::size_t>(depth_) > 100) {
    miss(offset, "the plan drafter cannot see the code of the lambda that is called here");
    if (around != nullptr) std::swap(scopes_[0], (*around)[0]), std::swap(scopes_, *around);
    return unknown(offset, std::string(kToldElsewhere));
  }
  // Names that were declared after the lambda are hidden while its body runs.
  const auto depth = static_cast<std::ptrdiff_t>(lambda.depth);
  Scopes later(std::make_move_iterator(scopes_.begin() + depth),
               std::make_move_iterator(scopes_.end()));
  scopes_.resize(lambda.depth);
  scopes_.emplace_back();
  for (std::size_t i = 0; i < lambda.names.size(); ++i)
    scopes_.back()[lambda.names[i]] = {lambda.captured[i], "auto", 0};
  scopes_.emplace_back();
  for (std::size_t i = 0; i < lambda.parts.size(); ++i) {
    const Value& parameter = lambda.parts[i];
    const TypeAt type{parameter.names.front(), static_cast<int>(parameter.begin), false, 1};
    Value value = i < values.size()
                      ? cast(type, values[i], offset)
                      : unknown(offset, fmt::format("no value is given for '{}' in this call",
                                                    parameter.word));
    hide_addresses(value);
    scopes_.back()[parameter.word] = {std::move(value), type.type, type.stars};
  }
  bool is_certain = false;
  Value result = run_body(*lambda.tokens, lambda.begin, lambda.end, &is_certain);
  std::map<std::size_t, Value> out;
  for (const auto& [i, found] : places)
    out[i] = is_certain
                 ? scopes_.back()[lambda.parts[i].word].value
                 : unknown(offset,
                           "this variable is set by a function that may return before it sets it");
  scopes_.resize(lambda.depth);
  scopes_.insert(scopes_.end(), std::make_move_iterator(later.begin()),
                 std::make_move_iterator(later.end()));
  const Tokens* own = std::exchange(tokens_, lambda.tokens);
  if (!is_certain)
    forget_written(lambda.begin, lambda.end, offset,
                   "is set by a function that may return before it sets it");
  tokens_ = own;
  if (around != nullptr) {
    std::swap(scopes_[0], (*around)[0]);
    std::swap(scopes_, *around);
  }
  for (const auto& [i, found] : places) scopes_[found.first][found.second].value = out[i];
  return result;
}

/// Binds the types and numbers of a function template: first the arguments given in angle brackets,
/// then types deduced from pointers, then defaults.
void HostReader::bind_templates(const Item& function, const std::vector<std::string>& templates,
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
    if (given.empty() && callers_.empty() && !parameter.fallback.empty())
      note(source_.tokens[function.begin].offset,
           fmt::format("the plan assumes that '{}' of the template '{}' is {}, its default",
                       parameter.name, function.name, sanitise(parameter.fallback, 60)));
    if (given.empty()) given = parameter.fallback;
    if (parameter.kind == "typename") {
      if (!given.empty()) types_.aliases[parameter.name] = device_type(given, types_);
      continue;
    }
    Value value = unknown(source_.tokens[function.begin].offset,
                          fmt::format("the template argument '{}' of '{}' is not known",
                                      parameter.name, function.name));
    std::int64_t number = 0;
    const auto read = std::from_chars(given.data(), given.data() + given.size(), number);
    if (!given.empty() && read.ec == std::errc() && read.ptr == given.data() + given.size())
      value = integer(number);
    if (given == "true" || given == "false") value = integer(given == "true");
    if (kernel_named(given) != nullptr && !given.empty()) {
      value.kind = Kind::Kernel;
      value.word = given;
    }
    scopes.back()[parameter.name] = {std::move(value), parameter.kind, 0};
  }
}

/// The value of a parameter's default argument, which can use only global names.
Value HostReader::default_of(const FunctionParameter& parameter) {
  if (parameter.default_end <= parameter.default_begin)
    return unknown(source_.tokens[0].offset,
                   fmt::format("no value is given for '{}' in this call", parameter.name));
  Tokens& tokens = defaults_[parameter.default_begin];
  if (tokens.empty())
    tokens = expand_macros(source_, parameter.default_begin, parameter.default_end);
  Scopes own;
  own.push_back(scopes_.front());
  std::swap(scopes_, own);
  const Tokens* outer = std::exchange(tokens_, &tokens);
  const TypeAt type{device_type(parameter.type, types_), parameter.stars, parameter.is_const, 1};
  Value value =
      cast(type, evaluate(0, tokens.size()), source_.tokens[parameter.default_begin].offset);
  tokens_ = outer;
  std::swap(scopes_, own);
  return value;
}

std::optional<Value> HostReader::call_own(const std::string& name,
                                          const std::vector<std::string>& templates,
                                          const std::vector<Value>& values, std::size_t open,
                                          std::size_t offset) {
  const Item* function = function_named(name, values.size());
  if (function == nullptr) return std::nullopt;
  if (callers_.size() >= kDeepestCalls || std::ranges::find(callers_, function) != callers_.end()) {
    miss(offset, fmt::format("the plan drafter cannot follow '{}', which calls itself or is called "
                             "too deep inside other functions",
                             name));
    forget_arguments(open + 1, closing(open), values, name);
    return Value();
  }
  for (const Item& other : items_)
    if (&other != function && other.kind == function->kind && other.is_defined() &&
        other.name == function->name && other.parameters.size() == function->parameters.size()) {
      const std::string why = fmt::format("'{}' is the name of several functions", name);
      if (may_work(source_.tokens, other.body_open, other.body_close) ||
          may_work(source_.tokens, function->body_open, function->body_close))
        miss(offset, why);
      forget_arguments(open + 1, closing(open), values, name);
      return unknown(offset, why);
    }
  check_text(*function);
  const auto [body, is_new] = bodies_.try_emplace(function);
  if (is_new) body->second = expand_macros(source_, function->body_open + 1, function->body_close);
  std::map<std::size_t, std::pair<std::size_t, std::string>> places;
  const std::size_t given = std::min(values.size(), function->parameters.size());
  for (std::size_t i = 0; i < given; ++i) {
    const FunctionParameter& parameter = function->parameters[i];
    if (parameter.is_reference && !(parameter.is_const && parameter.stars == 0))
      if (const auto found = place_of_argument(open, i)) places[i] = *found;
  }
  const TypeNames types = types_;
  Scopes inner(2);
  bind_templates(*function, templates, values, inner);
  for (std::size_t i = 0; i < function->parameters.size(); ++i) {
    const FunctionParameter& parameter = function->parameters[i];
    const TypeAt type{device_type(parameter.type, types_), parameter.stars, parameter.is_const, 1};
    Value value = i < values.size() ? cast(type, values[i], offset) : default_of(parameter);
    if (value.is(Kind::Unknown) && i >= values.size()) value.offset = offset;
    hide_addresses(value);
    inner[1][parameter.name] = {std::move(value), type.type, type.stars};
  }
  inner.emplace_back();
  inner[0] = std::move(scopes_[0]);
  const Tokens* tokens = tokens_;
  Scopes outer = std::exchange(scopes_, std::move(inner));
  callers_.push_back(function);
  frames_.emplace_back(tokens, &outer);
  bool is_certain = false;
  Value result = run_body(body->second, 0, body->second.size(), &is_certain);
  frames_.pop_back();
  callers_.pop_back();
  types_.aliases = types.aliases;
  std::set<std::string> written;
  {
    const Tokens* own = std::exchange(tokens_, &body->second);
    written = names_written(0, body->second.size());
    tokens_ = own;
  }
  Scopes ended = std::exchange(scopes_, std::move(outer));
  scopes_[0] = std::move(ended[0]);
  if (!is_certain)
    for (auto& [word, variable] : scopes_[0])
      if (written.contains(word))
        forget(word, offset, "is set by a function that may return before it sets it");
  std::set<std::pair<std::size_t, std::string>> seen;
  for (const auto& [i, found] : places) {
    const std::string& word = function->parameters[i].name;
    const bool is_exact = seen.insert(found).second && (is_certain || !written.contains(word));
    scopes_[found.first][found.second].value =
        is_exact ? ended[1][word].value
                 : unknown(offset,
                           fmt::format(
                               "'{}' is set by '{}' in a way that the plan drafter cannot follow",
                               found.second, function->name));
  }
  // The function may write through an address that it was given, so the variable becomes unknown.
  for (std::size_t i = 0; i < given; ++i)
    if (Variable* variable = variable_of(values[i]);
        variable != nullptr && !function->parameters[i].is_const)
      variable->value = unknown(offset, fmt::format("'{}' may be set by '{}' through its address",
                                                    values[i].word, function->name));
  return result;
}

}  // namespace kw::import
