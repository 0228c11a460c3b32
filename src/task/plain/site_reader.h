// Reads the function of a site: its parameters, statements and helpers, and refuses what it cannot
// be.
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

/// A parameter as a range of tokens.
struct ParameterTokens : TokenRange {
  std::size_t name = 0;  ///< Token of its name; `end` where it has none.

  bool has_name() const { return name < end; }
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
  /// Token of the function's name, where the list of parameters was found.
  std::size_t name() const { return list_begin_ - 1; }
  /// From the brace that opens the body to behind the one that closes it.
  TokenRange body() const { return {site_.open, site_.close + 1}; }
  /// The parameters, without those of `()` and `(void)`; a comma between < and > separates none.
  std::vector<ParameterTokens> parameters() const;
  /// What stands in the parentheses behind a function's name.
  TokenRange list_of(const CFunction& function) const;
  /// The parts of a range between commas that stand in no brackets; none of an empty range.
  std::vector<TokenRange> parts(TokenRange range) const;
  /// The element type of the words in a range, without const, restrict, static and the like.
  std::optional<Dtype> dtype_of_words(TokenRange range) const;

  /// Whether the word belongs to a type: `const`, `auto`, `float`, a name that the file gives one.
  bool is_type_word(std::size_t i) const;

  /// Whether a token stands first behind a semicolon or a brace.
  bool begins_statement(std::size_t i) const;
  /// The token behind the last semicolon or brace in front of token `i`.
  std::size_t statement_begin(std::size_t i) const;
  /// The brace that closes the block of the body in which the token stands.
  std::size_t block_close(std::size_t i) const;
  /// One past the last token of the indices that stand from token `i` on: `[…]` and more of them.
  std::size_t indices_end(std::size_t i) const;

  /// The functions of the file that the function calls, directly or by others, itself not among
  /// them.
  std::vector<CFunction> helpers() const;
  /// `wanted`, or `wanted` with a number behind it, such that no word of the file is the same,
  /// lines of the preprocessor included, and none of the names given before. Adds it to `given`.
  std::string free_name(const std::string& wanted, std::vector<std::string>& given) const;

  /// The range's text on one line.
  std::string text(TokenRange range) const;

  /// An error of the code Unsupported at a token. The message shows what to write instead.
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
