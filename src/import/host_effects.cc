// Finds the variables that a host function's text may change. Changes that are not interpreted
// exactly make them unknown.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "import/host_reader.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;
using Token = lex::Token;

constexpr int kDeepestWork = 8;

bool is_counting(const Token& token) { return is_one_of(token, {"++", "--"}); }

}  // namespace

/// Whether the operator at token `i` writes its operand: an assignment of any kind, ++ or --.
bool HostReader::is_write(std::size_t i) const {
  return is_one_of(at(i),
                   {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"});
}

/// The range of tokens that form the operand which the operator at `sign` writes.
std::pair<std::size_t, std::size_t> HostReader::written_by(std::size_t sign, std::size_t begin,
                                                           std::size_t end) const {
  const auto is_part = [&](std::size_t i) {
    return at(i).kind == Token::Kind::Word || is_one_of(at(i), {".", "->", "::"});
  };
  const bool is_after = sign > begin && (at(sign - 1).kind == Token::Kind::Word ||
                                         is_one_of(at(sign - 1), {"]", ")"}));
  if (is_counting(at(sign)) && !is_after) {
    std::size_t i = sign + 1;
    while (i < end && (is_part(i) || is_one_of(at(i), {"*", "(", "["})))
      i = is_one_of(at(i), {"(", "["}) ? std::min(closing(i) + 1, end) : i + 1;
    return {sign + 1, i};
  }
  // The range goes back to the beginning of the expression, since a part of the operand may be a
  // call.
  std::size_t i = sign;
  int depth = 0;
  for (; i > begin; --i) {
    const Token& token = at(i - 1);
    if (is_one_of(token, {")", "]", "}"})) ++depth;
    if (is_one_of(token, {"(", "[", "{"}) && --depth < 0) break;
    if (depth > 0) continue;
    if (is_one_of(token, {";", ",", "?", ":", "&&", "||", "{", "}"}) || is_write(i - 1)) break;
    if (is_counting(at(sign)) && !is_part(i - 1) && !is_one_of(token, {"]", ")", "[", "("})) break;
  }
  return {i, sign};
}

std::set<std::string> HostReader::names_written(std::size_t begin, std::size_t end) const {
  std::set<std::string> names;
  const auto add = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (at(i).is("[")) i = closing(i);  // an index is only read
      const bool is_field = i > from && is_one_of(at(i - 1), {".", "->"});
      if (i < to && at(i).kind == Token::Kind::Word && !is_field) names.emplace(at(i).text);
    }
  };
  for (std::size_t i = begin; i < end; ++i) {
    if (is_write(i)) {
      const auto [from, to] = written_by(i, begin, end);
      add(from, to);
    }
    const bool is_before_word = at(i + 1).kind == Token::Kind::Word && i + 1 < end;
    // The address of a name is taken, or the name is the target of a stream's >>; both may change
    // the variable.
    if ((at(i).is("&") || at(i).is(">>")) && is_before_word) add(i + 1, i + 2);
    // The arguments of a call may be passed by reference.
    if (at(i).is("(") && i > begin && at(i - 1).kind == Token::Kind::Word &&
        !is_one_of(at(i - 1), {"if", "while", "for", "switch", "return", "sizeof"}))
      for (const auto& [from, to] : parts_between(i + 1, std::min(closing(i), end), ","))
        if (at(from).kind == Token::Kind::Word) add(from, from + 1);
  }
  return names;
}

bool HostReader::has_effects(std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i) {
    if (is_write(i) || after_launch_open(*tokens_, i) != 0) return true;
    if (at(i).is("(") && i > begin && at(i - 1).kind == Token::Kind::Word) return true;
  }
  return false;
}

bool HostReader::may_work(const Tokens& tokens, std::size_t begin, std::size_t end,
                          int depth) const {
  end = std::min(end, tokens.size());
  for (std::size_t i = begin; i < end; ++i) {
    if (after_launch_open(tokens, i) != 0) return true;
    if (tokens[i].kind != Token::Kind::Word || i + 1 >= tokens.size()) continue;
    const std::string word(tokens[i].text);
    if (word.starts_with("cudaLaunch") || word.starts_with("cudaMem") ||
        word.starts_with("cudaMalloc") || word.ends_with('_') || word.starts_with("cublas"))
      return true;
    if (!tokens[i + 1].is("(") && !tokens[i + 1].is("<")) continue;
    for (const Item& item : items_) {
      if (!item.is_function() || item.name != word || !item.is_defined()) continue;
      if (depth >= kDeepestWork ||
          may_work(source_.tokens, item.body_open, item.body_close, depth + 1))
        return true;
    }
    for (const auto& scope : scopes_)
      if (const auto known = scope.find(word);
          known != scope.end() && known->second.value.is(Kind::Lambda) &&
          (depth >= kDeepestWork || may_work(*known->second.value.tokens, known->second.value.begin,
                                             known->second.value.end, depth + 1)))
        return true;
  }
  return false;
}

void HostReader::forget(const std::string& name, std::size_t offset, std::string_view why) {
  Variable* variable = find(name);
  if (variable == nullptr || variable->is_const) return;
  // Host memory, lambdas and unknown values keep their value: a write changes only contents that
  // are not tracked.
  if (variable->value.is(Kind::Host) || variable->value.is(Kind::Lambda)) return;
  if (variable->value.is(Kind::Unknown)) return;
  variable->value = unknown(offset, fmt::format("'{}' {}", sanitise(name, 60), why));
}

void HostReader::forget_exposed(std::size_t offset) {
  for (auto& scope : scopes_)
    for (auto& [name, variable] : scope)
      if (variable.is_exposed && !variable.is_const && !variable.alias)
        variable.value = unknown(
            offset, fmt::format("'{}' may change here through its address", sanitise(name, 60)));
}

void HostReader::forget_written(std::size_t begin, std::size_t end, std::size_t offset,
                                std::string_view why) {
  for (const std::string& name : names_written(begin, end)) forget(name, offset, why);
  forget_exposed(offset);
}

/// Makes unknown what a call that is not interpreted may change: variables passed by name (perhaps
/// by reference) or by address, and the variables that lambdas write.
void HostReader::forget_arguments(std::size_t begin, std::size_t end,
                                  const std::vector<Value>& values, const std::string& name) {
  const std::string why =
      fmt::format("may be changed by '{}', which cannot be followed", sanitise(name, 60));
  for (const auto& [from, to] : parts_between(begin, end, ",")) {
    bool is_place = at(from).kind == Token::Kind::Word;
    for (std::size_t i = from + 1; i < to && is_place; ++i) {
      is_place = is_one_of(at(i), {".", "->", "["});
      i = at(i).is("[") ? closing(i) : i + 1;
    }
    const Variable* variable = is_place ? find(std::string(at(from).text)) : nullptr;
    const bool is_memory =
        variable != nullptr && (variable->stars > 0 || variable->value.is(Kind::Tensor));
    for (std::size_t i = from; i < to; ++i)
      if (const Variable* array = find(std::string(at(i).text));
          array != nullptr && array->value.is(Kind::List))
        forget(std::string(at(i).text), place(i), why);
    if (is_place && !is_memory) forget(std::string(at(from).text), place(from), why);
  }
  for (const Value& value : values) {
    if (Variable* variable = variable_of(value))
      variable->value = unknown(value.offset, fmt::format("'{}' {}", value.word, why));
    if (value.is(Kind::Lambda) && value.tokens == tokens_)
      forget_written(value.begin, value.end, place(begin), why);
    if (value.is(Kind::Lambda) && may_work(*value.tokens, value.begin, value.end))
      miss(place(begin),
           fmt::format("the plan drafter cannot follow the call of '{}', which may launch kernels",
                       sanitise(name, 60)));
    if (value.is(Kind::Pointer) || value.is(Kind::Tensor))
      miss(place(begin),
           fmt::format("the plan drafter does not know what '{}' does with the memory of '{}'",
                       sanitise(name, 60), sanitise(buffer_of(value).name, 60)));
  }
  forget_exposed(place(begin));
}

/// Marks the variables whose addresses the value holds as exposed, since they may change through a
/// pointer.
void HostReader::expose(const Value& value) {
  if (Variable* variable = variable_of(value)) variable->is_exposed = true;
  for (const Value& part : value.parts) expose(part);
}

void HostReader::mark_followed(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    if (is_write(i)) followed_.emplace(tokens_, i);
}

}  // namespace kw::import
