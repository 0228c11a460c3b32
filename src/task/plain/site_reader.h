// Reads the function of a site: its parameters, its helpers, and edits and refusals about its text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lex/directives.h"
#include "task/c/function.h"
#include "task/c/types.h"
#include "task/plain/plain.h"

namespace kw::task {

/// Tokens from `begin` up to, but without, `end`.
struct TokenRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool is_empty() const { return begin >= end; }
};

/// Borrows the site. Every index may lie past the last token, which is like a token of no text.
class SiteReader {
 public:
  explicit SiteReader(const PlainSite& site);

  const PlainSite& site() const { return site_; }
  const std::vector<lex::Token>& tokens() const { return site_.tokens; }
  bool at(std::size_t i, std::string_view text) const {
    return i < site_.tokens.size() && site_.tokens[i].is(text);
  }
  bool is_word(std::size_t i) const {
    return i < site_.tokens.size() && site_.tokens[i].kind == lex::Token::Kind::Word;
  }
  /// The word at the token; empty where there is none.
  std::string_view word(std::size_t i) const;
  /// The type names that the file declares.
  const TypeNames& type_names() const { return type_names_; }

  /// All tokens of the source, space and lines of the preprocessor included, and those lines.
  const std::vector<lex::Token>& whole() const { return whole_; }
  const std::vector<lex::Directive>& directives() const { return directives_; }
  /// Whether a line of the preprocessor has the word.
  bool is_in_directives(std::string_view word) const { return directive_words_.contains(word); }

  /// Token of the parenthesis that opens the list of parameters; equal to list_end() if the
  /// function has none that could be found.
  std::size_t list_begin() const { return list_begin_; }
  std::size_t list_end() const { return list_end_; }
  /// The parameters, without those of `()` and `(void)`.
  std::vector<TokenRange> parameters() const;
  /// The parts of a range between commas that stand in no brackets; none of an empty range.
  std::vector<TokenRange> parts(TokenRange range) const;
  /// The name that a parameter declares; its end where it declares none.
  std::size_t name_of(TokenRange parameter) const;
  /// The element type of the words in a range, without const, restrict, static and the like.
  std::optional<Dtype> dtype_of_words(TokenRange range) const;

  /// The functions of the file that the function calls, directly or by others, itself not among
  /// them.
  std::vector<CFunction> helpers() const;
  /// Whether the file has this word anywhere, in lines of the preprocessor, too.
  bool has_anywhere(std::string_view word) const;
  /// `wanted`, or `wanted` with a number behind it that no word of the file is.
  std::string free_name(const std::string& wanted) const;

  /// The range's text on one line.
  std::string text(TokenRange range) const;
  PlainEdit replace(TokenRange range, std::string text) const;
  /// Takes the range out, except for its lines of the preprocessor and the ends of its lines, so
  /// that messages still name the right place.
  PlainEdit remove(TokenRange range) const;
  /// Puts text before a token.
  PlainEdit insert(std::size_t token, std::string text) const;
  /// Puts a parameter before the others or behind them. Only one edit of a step may do so at an
  /// end.
  PlainEdit prepend_parameters(const std::string& text) const;
  PlainEdit append_parameters(const std::string& text) const;

  /// An error of the code Unsupported at a token.
  std::unexpected<Error> refuse(std::size_t token, std::string about, std::string message) const;

 private:
  const PlainSite& site_;
  const lex::Tokens whole_;
  const std::vector<lex::Directive> directives_;
  std::set<std::string_view> directive_words_;
  TypeNames type_names_;
  std::size_t list_begin_ = 0;
  std::size_t list_end_ = 0;
};

/// Whether the word can stand in a type without naming it: const, static, inline and their like.
bool is_specifier(std::string_view word);

}  // namespace kw::task
