// Reads lambdas of a host function, and interprets their calls.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "import/host_reader.h"
#include "import/host_values.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;
using Token = lex::Token;

}  // namespace

Value LambdaReader::read() {
  Value value =
      unknown(all_.text.at(all_.cursor.at).offset, "what this function does is not known");
  const std::size_t capture = all_.cursor.at;
  const std::size_t capture_end = std::min(all_.text.closing(all_.cursor.at), all_.cursor.end);
  std::size_t i = std::min(capture_end + 1, all_.cursor.end);
  if (all_.text.at(i).is("(")) {
    const std::size_t close = std::min(all_.text.closing(i), all_.cursor.end);
    for (const auto& [from, to] : all_.text.parts_between(i + 1, close, ",")) {
      const TypeAt type = all_.text.type_at(from, to);
      Value parameter =
          text(type.end > 0 && type.end < to ? std::string(all_.text.at(type.end).text) : "");
      parameter.names = {type.type};
      parameter.begin = static_cast<std::size_t>(type.stars);
      parameter.end = type.is_reference && !type.is_const;
      value.parts.push_back(std::move(parameter));
    }
    i = std::min(close + 1, all_.cursor.end);
  }
  bool is_mutable = false;
  while (i < all_.cursor.end && !all_.text.at(i).is("{") && !all_.text.at(i).is(")") &&
         !all_.text.at(i).is(",")) {
    is_mutable = is_mutable || all_.text.at(i).is("mutable");
    ++i;
  }
  if (!all_.text.at(i).is("{") || i >= all_.cursor.end) {
    all_.cursor.at = std::min(i, all_.cursor.end);
    return value;
  }
  const std::size_t body = i + 1;
  const std::size_t body_end = std::min(all_.text.closing(i), all_.cursor.end);
  all_.cursor.at = std::min(body_end + 1, all_.cursor.end);
  all_.effects.mark_followed(capture, body_end);
  if (is_mutable) {
    all_.effects.forget_written(body, body_end, all_.text.place(body),
                                "may be set by a function that keeps a state");
    return value;
  }
  value.kind = Kind::Lambda;
  value.tokens = &all_.text.tokens();
  value.begin = body;
  value.end = body_end;
  value.depth = all_.variables.scopes().size();
  const auto capture_by_value = [&](const std::string& name, Value what) {
    value.names.push_back(name);
    value.captured.push_back(std::move(what));
  };
  std::set<std::string> by_reference;
  for (std::size_t k = capture + 1; k < capture_end; ++k)
    if (all_.text.at(k).is("&") && all_.text.at(k + 1).kind == Token::Kind::Word)
      by_reference.emplace(all_.text.at(k + 1).text);
  for (const auto& [from, to] : all_.text.parts_between(capture + 1, capture_end, ",")) {
    if (all_.text.at(from).is("&") || all_.text.at(from).is("this")) continue;
    if (all_.text.at(from).is("=")) {
      std::set<std::string> names;
      for (std::size_t k = body; k < body_end; ++k)
        if (all_.text.at(k).kind == Token::Kind::Word) names.emplace(all_.text.at(k).text);
      for (const std::string& name : names)
        if (const auto found = all_.variables.locate(name);
            found && found->first > 0 && !by_reference.contains(name))
          capture_by_value(name, all_.variables.scopes()[found->first][found->second].value);
    } else if (all_.text.at(from).kind == Token::Kind::Word) {
      const bool has_value = all_.text.at(from + 1).is("=") && from + 2 < to;
      capture_by_value(std::string(all_.text.at(from).text),
                       has_value ? all_.expressions.evaluate(from + 2, to)
                                 : all_.names.lookup(std::string(all_.text.at(from).text)));
    }
  }
  return value;
}

Value LambdaReader::call(const Value& lambda, const std::vector<Value>& values, std::size_t open,
                         std::size_t offset) {
  Scopes* around = nullptr;
  std::map<std::size_t, std::pair<std::size_t, std::string>> places;
  for (std::size_t i = 0; i < lambda.parts.size() && i < values.size(); ++i)
    if (lambda.parts[i].end != 0)
      if (const auto found = all_.functions.place_of_argument(open, i)) places[i] = *found;
  if (lambda.tokens != &all_.text.tokens()) {
    for (const auto& [tokens, scopes] : all_.stack.frames)
      if (tokens == lambda.tokens) around = scopes;
    if (around == nullptr) {
      all_.record.miss(offset, "lambda",
                       "the plan drafter cannot see the code of the lambda that is called here");
      return unknown(offset, std::string(kToldElsewhere));
    }
    std::swap(all_.variables.scopes(), *around);
    std::swap(all_.variables.scopes()[0], (*around)[0]);
  }
  if (lambda.depth > all_.variables.scopes().size() ||
      all_.stack.callers.size() + static_cast<std::size_t>(all_.effort.depth) > 100) {
    all_.record.miss(offset, "lambda",
                     "the plan drafter cannot see the code of the lambda that is called here");
    if (around != nullptr)
      std::swap(all_.variables.scopes()[0], (*around)[0]),
          std::swap(all_.variables.scopes(), *around);
    return unknown(offset, std::string(kToldElsewhere));
  }
  // Names that were declared after the lambda are hidden while its body runs.
  const auto depth = static_cast<std::ptrdiff_t>(lambda.depth);
  Scopes later(std::make_move_iterator(all_.variables.scopes().begin() + depth),
               std::make_move_iterator(all_.variables.scopes().end()));
  all_.variables.scopes().resize(lambda.depth);
  all_.variables.open();
  for (std::size_t i = 0; i < lambda.names.size(); ++i)
    all_.variables.innermost()[lambda.names[i]] = {lambda.captured[i], "auto", 0};
  all_.variables.open();
  for (std::size_t i = 0; i < lambda.parts.size(); ++i) {
    const Value& parameter = lambda.parts[i];
    const TypeAt type{parameter.names.front(), static_cast<int>(parameter.begin), false, 1};
    Value value = i < values.size()
                      ? all_.casts.cast(type, values[i], offset)
                      : unknown(offset, fmt::format("no value is given for '{}' in this call",
                                                    parameter.word));
    hide_addresses(value);
    all_.variables.innermost()[parameter.word] = {std::move(value), type.type, type.stars};
  }
  bool is_certain = false;
  Value result = all_.functions.run_body(*lambda.tokens, lambda.begin, lambda.end, &is_certain);
  std::map<std::size_t, Value> out;
  for (const auto& [i, found] : places)
    out[i] = is_certain
                 ? all_.variables.innermost()[lambda.parts[i].word].value
                 : unknown(offset,
                           "this variable is set by a function that may return before it sets it");
  all_.variables.scopes().resize(lambda.depth);
  all_.variables.scopes().insert(all_.variables.scopes().end(),
                                 std::make_move_iterator(later.begin()),
                                 std::make_move_iterator(later.end()));
  const Tokens* own = all_.text.switch_to(lambda.tokens);
  if (!is_certain)
    all_.effects.forget_written(lambda.begin, lambda.end, offset,
                                "is set by a function that may return before it sets it");
  all_.text.switch_to(own);
  if (around != nullptr) {
    std::swap(all_.variables.scopes()[0], (*around)[0]);
    std::swap(all_.variables.scopes(), *around);
  }
  for (const auto& [i, found] : places)
    all_.variables.scopes()[found.first][found.second].value = out[i];
  return result;
}

}  // namespace kw::import
