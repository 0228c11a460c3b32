// Finds parameters and helpers by their brackets and words.
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
  if (site.open == 0 || !at(site.open - 1, ")")) return;
  std::size_t depth = 0;
  for (std::size_t i = site.open; i-- > site.begin;) {
    if (at(i, ")") || at(i, "]") || at(i, "}")) ++depth;
    if ((!at(i, "(") && !at(i, "[") && !at(i, "{")) || --depth > 0) continue;
    if (!at(i, "(") || i == site.begin || !is_word(i - 1)) return;
    list_begin_ = i;
    list_end_ = site.open - 1;
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

std::vector<TokenRange> SiteReader::parameters() const {
  if (list_begin_ == list_end_) return {};
  const TokenRange all{list_begin_ + 1, list_end_};
  if (all.end == all.begin + 1 && at(all.begin, "void")) return {};
  return parts(all);
}

std::size_t SiteReader::name_of(TokenRange parameter) const {
  std::size_t name = parameter.end;
  for (std::size_t i = parameter.begin; i < parameter.end; ++i) {
    if (at(i, "[") || at(i, "=")) break;
    if (is_word(i) && !is_specifier(word(i))) name = i;
  }
  return name;
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

bool SiteReader::has_anywhere(std::string_view word) const {
  return std::ranges::any_of(whole_, [&](const lex::Token& token) {
    return token.kind == lex::Token::Kind::Word && token.text == word;
  });
}

std::string SiteReader::free_name(const std::string& wanted) const {
  std::string name = wanted;
  for (int number = 2; has_anywhere(name); ++number) name = fmt::format("{}_{}", wanted, number);
  return name;
}

std::string SiteReader::text(TokenRange range) const {
  return lex::source_text(site_.tokens, range.begin, range.end);
}

PlainEdit SiteReader::replace(TokenRange range, std::string text) const {
  return {site_.tokens[range.begin].offset, site_.tokens[range.end - 1].end, std::move(text)};
}

PlainEdit SiteReader::remove(TokenRange range) const {
  const std::size_t begin = site_.tokens[range.begin].offset;
  const std::size_t end = site_.tokens[range.end - 1].end;
  std::string left;
  const auto first = std::ranges::lower_bound(whole_, begin, {}, &lex::Token::offset);
  for (const lex::Token& token : std::ranges::subrange(first, whole_.end())) {
    if (token.offset >= end) break;
    const std::string_view bytes = site_.source.substr(token.offset, token.end - token.offset);
    if (token.in_directive || token.kind == lex::Token::Kind::LineEnd)
      left += bytes;
    else
      left.append(static_cast<std::size_t>(std::ranges::count(bytes, '\n')), '\n');
  }
  return {begin, end, left.empty() ? " " : std::move(left)};
}

PlainEdit SiteReader::insert(std::size_t token, std::string text) const {
  const std::size_t at = site_.tokens[token].offset;
  return {at, at, std::move(text)};
}

PlainEdit SiteReader::prepend_parameters(const std::string& text) const {
  // The parenthesis is replaced, so that the token behind it can be, too.
  const std::size_t begin = list_begin_;
  if (parameters().empty()) return replace({begin, list_end_}, "(" + text);
  return replace({begin, begin + 1}, "(" + text + ", ");
}

PlainEdit SiteReader::append_parameters(const std::string& text) const {
  if (parameters().empty()) return prepend_parameters(text);
  return replace({list_end_, list_end_ + 1}, ", " + text + ")");
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
