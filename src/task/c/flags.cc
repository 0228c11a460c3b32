// Looks at what stands beside each use of a parameter.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/flags.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/contains.h"
#include "record/dtype.h"

namespace kw::task {
namespace {

/// What stands behind a whole operand of a condition, and in front of it.
constexpr auto kEnds = std::to_array<std::string_view>({")", "&&", "||", "?", ":", ";", ","});
constexpr auto kBegins =
    std::to_array<std::string_view>({"(", "&&", "||", "!", "=", "return", ",", "?", ":"});
constexpr std::size_t kMostValues = 8;
constexpr std::int64_t kLargestValue = 1'000'000;

class FlagReader {
 public:
  FlagReader(const CFunction& function, const std::vector<lex::Token>& tokens)
      : function_(function), tokens_(tokens) {}

  /// The values of the parameter; empty where it is more than a flag.
  std::vector<std::int64_t> values(const CParameter& parameter) {
    values_.clear();
    bool is_flag = false;
    for (std::size_t i = function_.open + 1; i < function_.close; ++i) {
      if (!at(i, {parameter.name}) || at(i - 1, {".", "->"})) continue;
      is_flag = note_test(i);
      if (!is_flag) break;
    }
    if (parameter.dtype == Dtype::Bool) return {0, 1};
    if (!is_flag || values_.size() > kMostValues) return {};
    std::erase_if(values_, [&](std::int64_t value) { return !can_hold(parameter.dtype, value); });
    return {values_.begin(), values_.end()};
  }

 private:
  bool at(std::size_t i, std::initializer_list<std::string_view> texts) const {
    if (i >= tokens_.size()) return false;
    for (const std::string_view text : texts)
      if (tokens_[i].is(text)) return true;
    return false;
  }

  bool begins(std::size_t i) const { return i > 0 && contains(kBegins, tokens_[i - 1].text); }
  bool is_end(std::size_t i) const {
    return i < tokens_.size() && contains(kEnds, tokens_[i].text);
  }

  std::optional<std::int64_t> number_at(std::size_t i) const {
    const bool is_negative = at(i, {"-"});
    if (is_negative) ++i;
    if (i >= tokens_.size() || tokens_[i].kind != lex::Token::Kind::Number) return std::nullopt;
    const std::string_view text = tokens_[i].text;
    std::int64_t value = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || stop != text.data() + text.size() || value > kLargestValue)
      return std::nullopt;
    return is_negative ? -value : value;
  }

  /// Whether the use of the parameter at the token is a test; remembers the values that it tells
  /// apart.
  bool note_test(std::size_t i) {
    if (at(i + 1, {"==", "!=", "<", "<=", ">", ">=", "&"}) && begins(i)) {
      const auto number = number_at(i + 2);
      const std::size_t behind = i + (at(i + 2, {"-"}) ? 4 : 3);
      return number && (is_end(behind) || at(behind, {"==", "!="})) && note(i + 1, *number);
    }
    if (at(i - 1, {"==", "!=", "<", "<=", ">", ">="}) && is_end(i + 1)) {
      const auto number = i > 2 ? number_at(i - 2) : std::nullopt;
      return number && !at(i - 3, {"-"}) && note(i - 1, *number);
    }
    if (at(i - 1, {"("}) && at(i - 2, {"switch"}) && at(i + 1, {")"})) return note_cases();
    const bool is_alone = at(i - 1, {"("}) && at(i - 2, {"if", "while"}) && at(i + 1, {")"});
    const bool is_part = at(i - 1, {"&&", "||", "!"}) && is_end(i + 1);
    const bool is_first = at(i + 1, {"&&", "||", "?"}) && begins(i);
    if (!is_alone && !is_part && !is_first) return false;
    values_.insert({0, 1});
    return true;
  }

  bool note(std::size_t op, std::int64_t number) {
    values_.insert(number);
    values_.insert(at(op, {"&"}) ? 0 : number + 1);
    if (at(op, {"<", ">="})) values_.insert(number - 1);
    return true;
  }

  bool note_cases() {
    std::int64_t most = 0;
    for (std::size_t i = function_.open; i < function_.close; ++i) {
      if (!at(i, {"case"})) continue;
      const auto number = number_at(i + 1);
      if (!number) return false;
      values_.insert(*number);
      most = std::max(most, *number);
    }
    values_.insert(most + 1);
    return true;
  }

  const CFunction& function_;
  const std::vector<lex::Token>& tokens_;
  std::set<std::int64_t> values_;
};

}  // namespace

std::map<std::string, std::vector<std::int64_t>> flags_of(const CFunction& function,
                                                          const std::vector<lex::Token>& tokens) {
  std::map<std::string, std::vector<std::int64_t>> flags;
  FlagReader reader(function, tokens);
  for (const CParameter& parameter : function.parameters) {
    if (parameter.is_pointer || is_real(parameter.dtype)) continue;
    if (auto values = reader.values(parameter); !values.empty())
      flags.emplace(parameter.name, std::move(values));
  }
  return flags;
}

}  // namespace kw::task
