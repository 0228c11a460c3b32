// Looks at what stands around each use of a name.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/changes.h"

#include <algorithm>
#include <array>

#include "base/contains.h"
#include "task/c/loops.h"
#include "task/plain/name_uses.h"

namespace kw::task {

bool is_changed(const SiteReader& reader, TokenRange range) {
  return is_assignment(reader.tokens(), range.end) ||
         (range.begin > 0 &&
          (reader.at(range.begin - 1, "++") || reader.at(range.begin - 1, "--")));
}

bool is_address_taken(const SiteReader& reader, std::size_t token) {
  if (token < 2 || !reader.at(token - 1, "&")) return false;
  const std::size_t before = token - 2;
  const bool is_operand = (reader.is_word(before) && !reader.at(before, "return")) ||
                          reader.at(before, ")") || reader.at(before, "]") ||
                          reader.tokens()[before].kind == lex::Token::Kind::Number;
  return !is_operand;
}

bool keeps_value(const SiteReader& reader, TokenRange range, std::size_t until) {
  static constexpr auto kSigns =
      std::to_array<std::string_view>({"+", "-", "*", "(", ")", "[", "]"});
  if (range.is_empty() || range.end > reader.site().close) return false;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const lex::Token& token = reader.tokens()[i];
    if (contains(kSigns, token.text) || token.kind == lex::Token::Kind::Number) continue;
    if (!reader.is_word(i) || (i + 1 < range.end && reader.at(i + 1, "("))) return false;
    const TokenRange behind{range.end, std::min(until, reader.site().close)};
    const NameUses uses = find_name_uses(reader, behind, token.text);
    if (uses.unclear || !uses.declarations.empty()) return false;
    for (const std::size_t use : uses.tokens)
      if (is_changed(reader, {use, reader.indices_end(use + 1)}) || is_address_taken(reader, use))
        return false;
  }
  return true;
}

bool keeps_indices(const SiteReader& reader, TokenRange range, std::size_t until) {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (!reader.at(i, "[")) continue;
    const std::size_t close = lex::find_closing(reader.tokens(), i);
    if (!keeps_value(reader, {i + 1, close}, until)) return false;
    i = close;
  }
  return true;
}

bool is_fixed_integer(const SiteReader& reader, std::string_view name) {
  for (const ParameterTokens& parameter : reader.parameters()) {
    if (parameter.name + 1 != parameter.end || reader.word(parameter.name) != name) continue;
    const auto dtype = reader.dtype_of_words({parameter.begin, parameter.name});
    if (!dtype || !is_integer(*dtype)) return false;
    const NameUses uses = find_name_uses(reader, reader.body(), name);
    return !uses.unclear && uses.declarations.empty() &&
           std::ranges::none_of(uses.tokens, [&](std::size_t use) {
             return is_changed(reader, {use, use + 1}) || is_address_taken(reader, use);
           });
  }
  return false;
}

}  // namespace kw::task
