// Finds parameters, statements and helpers by their brackets and words.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/site_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <set>

#include "base/contains.h"
#include "base/text.h"

namespace kw::task {

bool is_specifier(std::string_view word) {
  static constexpr auto kWords = std::to_array<std::string_view>(
      {"const", "static", "inline", "extern", "constexpr", "volatile", "register", "restrict",
       "__restrict", "__restrict__", "__inline", "__inline__", "thread_local", "typename"});
  return contains(kWords, word);
}

SiteReader::SiteReader(const PlainSite& site)
    : site_(site),
      whole_(lex::lex(site.source)),
      directives_(lex::directives_of(whole_)),
      type_names_(type_names_of(site.source, site.tokens)) {
  for (const lex::Token& token : whole_)
    if (token.in_directive && token.kind == lex::Token::Kind::Word)
      directive_words_.insert(token.text);
  list_begin_ = list_end_ = site.open;
  std::size_t close = site.open;
  while (close > site.begin && at(close - 1, "noexcept")) --close;
  if (close == 0 || !at(close - 1, ")")) return;
  std::size_t depth = 0;
  for (std::size_t i = close; i-- > site.begin;) {
    if (at(i, ")") || at(i, "]") || at(i, "}")) ++depth;
    if ((!at(i, "(") && !at(i, "[") && !at(i, "{")) || --depth > 0) continue;
    if (!at(i, "(") || i == site.begin || !is_word(i - 1)) return;
    list_begin_ = i;
    list_end_ = close - 1;
    return;
  }
}

std::string_view SiteReader::word(std::size_t i) const {
  return is_word(i) ? site_.tokens[i].text : std::string_view();
}

std::vector<TokenRange> SiteReader::parts(TokenRange range) const {
  std::vector<TokenRange> found;
  if (range.is_empty()) return found;
  std::size_t begin = range.begin;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (at(i, "(") || at(i, "[") || at(i, "{"))
      i = std::min(lex::find_closing(site_.tokens, i), range.end);
    if (i >= range.end || !at(i, ",")) continue;
    found.push_back({begin, i});
    begin = i + 1;
  }
  found.push_back({begin, range.end});
  return found;
}

std::vector<ParameterTokens> SiteReader::parameters() const {
  const TokenRange all{list_begin_ + 1, list_end_};
  if (all.is_empty() || (all.end == all.begin + 1 && at(all.begin, "void"))) return {};
  std::vector<ParameterTokens> found;
  for (std::size_t begin = all.begin; begin <= all.end;) {
    ParameterTokens parameter{{begin, begin}, all.end};
    int angles = 0;
    bool is_declared = false;  // what follows is the size of an array, or a default argument
    bool has_type = false;
    for (std::size_t& i = parameter.end; i < all.end && !(at(i, ",") && angles <= 0); ++i) {
      is_declared = is_declared || at(i, "[") || at(i, "=");
      const bool is_declarator = at(i + 1, "*") || at(i + 1, "&") || at(i + 1, "&&");
      if (at(i, "[") || at(i, "{") || (at(i, "(") && !is_declarator))
        i = std::min(lex::find_closing(site_.tokens, i), all.end - 1);
      if (is_declared) continue;
      angles += at(i, "<") ? 1 : at(i, ">") ? -1 : at(i, ">>") ? -2 : 0;
      if (!is_word(i) || angles > 0 || is_specifier(word(i))) continue;
      if (has_type) parameter.name = i;
      has_type = true;
    }
    parameter.name = std::min(parameter.name, parameter.end);
    begin = parameter.end + 1;
    found.push_back(parameter);
  }
  return found;
}

TokenRange SiteReader::list_of(const CFunction& function) const {
  std::size_t open = function.begin;
  while (open + 1 < function.open && !(at(open, function.name) && at(open + 1, "("))) ++open;
  return {open + 2, std::min(lex::find_closing(site_.tokens, open + 1), function.open)};
}

std::optional<Dtype> SiteReader::dtype_of_words(TokenRange range) const {
  std::vector<std::string> words;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (at(i, "::")) continue;
    if (!is_word(i)) return std::nullopt;
    if (!is_specifier(word(i))) words.emplace_back(word(i));
  }
  return dtype_of(words, type_names_);
}

std::vector<CFunction> SiteReader::helpers() const {
  std::vector<CFunction> all = find_functions(site_.tokens);
  std::erase_if(all, [&](const CFunction& one) { return one.begin == site_.begin; });
  std::set<std::string, std::less<>> words;
  const auto read = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (is_word(i)) words.emplace(word(i));
  };
  read(site_.begin, site_.close);
  // A macro may call a helper, so all words of macros count.
  words.insert(directive_words_.begin(), directive_words_.end());
  std::vector<CFunction> found;
  for (bool is_more = true; is_more;) {
    is_more = false;
    for (CFunction& one : all) {
      if (one.name.empty() || !words.contains(one.name)) continue;
      read(one.begin, one.close);
      found.push_back(std::move(one));
      one.name.clear();
      is_more = true;
    }
  }
  std::ranges::sort(found, {}, &CFunction::begin);
  return found;
}

bool SiteReader::is_type_word(std::size_t i) const {
  static constexpr auto kWords = std::to_array<std::string_view>(
      {"int", "long", "short", "char", "unsigned", "signed", "float", "double", "bool", "_Bool",
       "void", "auto", "wchar_t", "struct", "union", "enum", "class"});
  const std::string_view own = word(i);
  return !own.empty() && (contains(kWords, own) || is_specifier(own) || type_names_.contains(own) ||
                          dtype_of(std::array{std::string(own)}).has_value());
}

bool SiteReader::begins_statement(std::size_t i) const {
  return i == 0 || at(i - 1, ";") || at(i - 1, "{") || at(i - 1, "}");
}

std::size_t SiteReader::statement_begin(std::size_t i) const {
  while (!begins_statement(i)) --i;
  return i;
}

std::size_t SiteReader::block_close(std::size_t i) const {
  int depth = 0;
  for (; i < site_.close; ++i) {
    if (at(i, "{")) ++depth;
    if (at(i, "}") && depth-- == 0) return i;
  }
  return site_.close;
}

std::size_t SiteReader::indices_end(std::size_t i) const {
  while (i < site_.close && at(i, "[")) {
    const std::size_t close = lex::find_closing(site_.tokens, i);
    if (close >= site_.close) break;
    i = close + 1;
  }
  return i;
}

std::string SiteReader::free_name(const std::string& wanted,
                                  std::vector<std::string>& given) const {
  const auto is_taken = [&](const std::string& name) {
    return contains(given, name) || std::ranges::any_of(whole_, [&](const lex::Token& token) {
             return token.kind == lex::Token::Kind::Word && token.text == name;
           });
  };
  std::string name = wanted;
  for (int number = 2; is_taken(name); ++number) name = fmt::format("{}_{}", wanted, number);
  given.push_back(name);
  return name;
}

std::string SiteReader::text(TokenRange range) const {
  return lex::source_text(site_.tokens, range.begin, range.end);
}

std::unexpected<Error> SiteReader::refuse(std::size_t token, std::string about,
                                          std::string message) const {
  const std::size_t offset =
      token < site_.tokens.size() ? site_.tokens[token].offset : site_.source.size();
  const Position place = position_of(site_.source, offset);
  return fail(ErrorCode::Unsupported, About{sanitise(about, 60)}, std::move(message),
              fmt::format("{}:{}:{}", site_.file, place.line, place.column), Advice::Stop);
}

}  // namespace kw::task
