// Finds what text of a host function may change, and makes it unknown where it is not interpreted.
// SPDX-License-Identifier: Apache-2.0
#include "import/host_effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "import/host_file.h"
#include "import/host_record.h"
#include "import/host_values.h"
#include "import/host_variables.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;
using Token = lex::Token;

constexpr int kDeepestWork = 8;

}  // namespace

bool HostEffects::may_work(const Tokens& tokens, std::size_t begin, std::size_t end,
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
    for (const Item& item : file_.items) {
      if (!item.is_function() || item.name != word || !item.is_defined()) continue;
      if (depth >= kDeepestWork ||
          may_work(file_.source.tokens, item.body_open, item.body_close, depth + 1))
        return true;
    }
    for (const auto& scope : variables_.scopes())
      if (const auto known = scope.find(word);
          known != scope.end() && known->second.value.is(Kind::Lambda) &&
          (depth >= kDeepestWork || may_work(*known->second.value.tokens, known->second.value.begin,
                                             known->second.value.end, depth + 1)))
        return true;
  }
  return false;
}

void HostEffects::forget_written(std::size_t begin, std::size_t end, std::size_t offset,
                                 std::string_view why) {
  for (const std::string& name : text_.names_written(begin, end))
    variables_.forget(name, offset, why);
  variables_.forget_exposed(offset);
}

void HostEffects::forget_arguments(std::size_t begin, std::size_t end,
                                   const std::vector<Value>& values, const std::string& name) {
  const std::string why =
      fmt::format("may be changed by '{}', which cannot be followed", sanitise(name, 60));
  for (const auto& [from, to] : text_.parts_between(begin, end, ",")) {
    bool is_place = text_.at(from).kind == Token::Kind::Word;
    for (std::size_t i = from + 1; i < to && is_place; ++i) {
      is_place = is_one_of(text_.at(i), {".", "->", "["});
      i = text_.at(i).is("[") ? text_.closing(i) : i + 1;
    }
    const Variable* variable =
        is_place ? variables_.find(std::string(text_.at(from).text)) : nullptr;
    const bool is_memory =
        variable != nullptr && (variable->stars > 0 || variable->value.is(Kind::Tensor));
    for (std::size_t i = from; i < to; ++i)
      if (const Variable* array = variables_.find(std::string(text_.at(i).text));
          array != nullptr && array->value.is(Kind::List))
        variables_.forget(std::string(text_.at(i).text), text_.place(i), why);
    if (is_place && !is_memory)
      variables_.forget(std::string(text_.at(from).text), text_.place(from), why);
  }
  for (const Value& value : values) {
    if (Variable* variable = variables_.variable_of(value))
      variable->value = unknown(value.offset, fmt::format("'{}' {}", value.word, why));
    if (value.is(Kind::Lambda) && value.tokens == &text_.tokens())
      forget_written(value.begin, value.end, text_.place(begin), why);
    if (value.is(Kind::Lambda) && may_work(*value.tokens, value.begin, value.end))
      record_.miss(
          text_.place(begin), "call that may launch",
          fmt::format("the plan drafter cannot follow the call of '{}', which may launch kernels",
                      sanitise(name, 60)));
    if (value.is(Kind::Pointer) || value.is(Kind::Tensor))
      record_.miss(
          text_.place(begin), "memory passed to a call",
          fmt::format("the plan drafter does not know what '{}' does with the memory of '{}'",
                      sanitise(name, 60), sanitise(record_.buffer_of(value).name, 60)));
  }
  variables_.forget_exposed(text_.place(begin));
}

void HostEffects::forget_unfollowed(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (!text_.is_write(i) || followed_.contains({&text_.tokens(), i})) continue;
    mark_followed(i);
    const auto [from, to] = text_.written_by(i, begin, end);
    bool is_memory = false;
    for (std::size_t k = from; k < to; ++k)
      is_memory = is_memory || is_one_of(text_.at(k), {"*", "[", "->"});
    bool is_first = true;
    for (std::size_t k = from; k < to; ++k) {
      if (text_.at(k).is("[")) k = text_.closing(k);  // an index is only read
      if (k >= to || text_.at(k).kind != Token::Kind::Word) continue;
      if (k > from && is_one_of(text_.at(k - 1), {".", "->"})) continue;  // a field's name
      const std::string name(text_.at(k).text);
      Variable* variable = variables_.find(name);
      const bool is_device = variable != nullptr && (variable->value.is(Kind::Pointer) ||
                                                     variable->value.is(Kind::Tensor));
      if (is_memory && is_device && std::exchange(is_first, false)) {
        // Writing device memory on the host is allowed in a main() that has not yet used it: it
        // then fills the inputs.
        if (!record_.is_main() || record_.buffer_of(variable->value).is_used)
          record_.miss(
              text_.place(k), "host write",
              fmt::format("the host writes to the memory of '{}', which a launch plan cannot do",
                          sanitise(name, 60)));
        continue;
      }
      is_first = false;
      variables_.forget(name, text_.place(k), "is set here in a way that cannot be followed");
    }
    if (is_memory) variables_.forget_exposed(text_.place(i));
  }
}

void HostEffects::start(std::size_t begin, std::size_t end) {
  const Tokens* tokens = &text_.tokens();
  followed_.erase(followed_.lower_bound({tokens, begin}), followed_.lower_bound({tokens, end}));
}

void HostEffects::mark_followed(std::size_t sign) { followed_.emplace(&text_.tokens(), sign); }

void HostEffects::mark_followed(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    if (text_.is_write(i)) mark_followed(i);
}

}  // namespace kw::import
