// Reads the words of a type as C does: as a set, in any order.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/types.h"

#include <algorithm>
#include <utility>

#include "lex/directives.h"

namespace kw::task {
namespace {

using Words = std::vector<std::string>;

/// Types that have a name of one word, from <stdint.h>, <stddef.h> and <stdbool.h>.
const std::map<std::string_view, Dtype>& single_words() {
  static const std::map<std::string_view, Dtype> table{
      {"float", Dtype::F32},    {"double", Dtype::F64},    {"bool", Dtype::Bool},
      {"_Bool", Dtype::Bool},   {"int8_t", Dtype::I8},     {"int16_t", Dtype::I16},
      {"int32_t", Dtype::I32},  {"int64_t", Dtype::I64},   {"uint8_t", Dtype::U8},
      {"uint16_t", Dtype::U16}, {"uint32_t", Dtype::U32},  {"uint64_t", Dtype::U64},
      {"size_t", Dtype::U64},   {"ptrdiff_t", Dtype::I64}, {"ssize_t", Dtype::I64},
      {"intptr_t", Dtype::I64}, {"uintptr_t", Dtype::U64}, {"intmax_t", Dtype::I64},
      {"uintmax_t", Dtype::U64}};
  return table;
}

/// The integer type of words such as "unsigned", "long", "long", "int".
std::optional<Dtype> integer_of(const Words& words) {
  const auto count = [&](std::string_view word) { return std::ranges::count(words, word); };
  const auto sign = count("signed") + count("unsigned");
  const auto longs = count("long");
  const auto shorts = count("short");
  const auto chars = count("char");
  const auto ints = count("int");
  if (std::cmp_not_equal(sign + longs + shorts + chars + ints, words.size())) return std::nullopt;
  const bool is_possible = sign <= 1 && longs <= 2 && shorts <= 1 && chars <= 1 && ints <= 1 &&
                           (longs > 0) + (shorts > 0) + (chars > 0) <= 1 && chars + ints <= 1;
  if (words.empty() || !is_possible) return std::nullopt;
  const bool is_unsigned = count("unsigned") > 0;
  if (chars > 0) return is_unsigned ? Dtype::U8 : Dtype::I8;
  if (shorts > 0) return is_unsigned ? Dtype::U16 : Dtype::I16;
  if (longs > 0) return is_unsigned ? Dtype::U64 : Dtype::I64;
  return is_unsigned ? Dtype::U32 : Dtype::I32;
}

/// Keeps the words of `tokens` as a type; nothing if they are more than the words of a type.
std::optional<Words> type_words(std::span<const lex::Token> tokens) {
  Words words;
  for (const lex::Token& token : tokens) {
    if (token.kind != lex::Token::Kind::Word && !token.is("::")) return std::nullopt;
    if (!token.is("const") && !token.is("volatile")) words.emplace_back(token.text);
  }
  return words.empty() ? std::nullopt : std::optional(words);
}

void add_type(TypeNames& names, std::string_view name, std::span<const lex::Token> words) {
  if (auto type = type_words(words)) names.emplace(name, *std::move(type));
}

}  // namespace

TypeNames typedefs_of(const std::vector<lex::Token>& tokens) {
  TypeNames names;
  const std::span<const lex::Token> all(tokens);
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    const bool is_typedef = tokens[i].is("typedef");
    const bool is_alias = tokens[i].is("using") && tokens[i + 2].is("=");
    if (!is_typedef && !is_alias) continue;
    std::size_t end = i;
    while (end < tokens.size() && !tokens[end].is(";") && !tokens[end].is("{")) ++end;
    if (end == tokens.size() || tokens[end].is("{")) continue;
    if (is_alias)
      add_type(names, tokens[i + 1].text, all.subspan(i + 3, end - i - 3));
    else if (end > i + 2)
      add_type(names, tokens[end - 1].text, all.subspan(i + 1, end - i - 2));
  }
  return names;
}

TypeNames type_names_of(std::string_view source, const std::vector<lex::Token>& tokens) {
  TypeNames names = typedefs_of(tokens);
  const lex::Tokens whole = lex::lex(source);
  for (const lex::Directive& directive : lex::directives_of(whole)) {
    const auto& parts = directive.tokens;
    if (directive.name() != "define" || parts.size() < 3) continue;
    const bool takes_arguments = parts[2].is("(") && parts[2].offset == parts[1].end;
    if (!takes_arguments) add_type(names, directive.word(), std::span(parts).subspan(2));
  }
  return names;
}

std::optional<Dtype> dtype_of(std::span<const std::string> words, const TypeNames& names) {
  // A name may stand for another name; more of them than the file has would be a circle.
  Words type(words.begin(), words.end());
  for (std::size_t turn = 0; turn <= names.size(); ++turn) {
    std::erase(type, "std");
    std::erase(type, "::");
    const auto named =
        std::ranges::find_if(type, [&](const std::string& w) { return names.contains(w); });
    if (named == type.end()) break;
    const Words& means = names.find(*named)->second;
    const auto at = type.erase(named);
    type.insert(at, means.begin(), means.end());
    constexpr std::size_t kMostWords = 16;
    if (type.size() > kMostWords) return std::nullopt;
  }
  if (type.size() == 1)
    if (const auto found = single_words().find(type.front()); found != single_words().end())
      return found->second;
  return integer_of(type);
}

}  // namespace kw::task
