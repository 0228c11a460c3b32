// What the forms have in common: a function's parameters, where a name is used, and edits of
// tokens.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "task/plain/plain.h"

namespace kw::task {

/// A parameter as a range of tokens.
struct ParameterTokens {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t name = 0;  ///< Token of its name; `end` where it has none.
};

/// The parameters of the site's function; a comma between < and > separates none.
std::vector<ParameterTokens> parameters_of(const PlainSite& site);

/// Whether token `i`, which may lie past the last, has this text.
inline bool is_at(const PlainSite& site, std::size_t i, std::string_view text) {
  return i < site.tokens.size() && site.tokens[i].is(text);
}

/// Tokens of the body where the word stands for itself, and is no member of something.
std::vector<std::size_t> uses_in_body(const PlainSite& site, std::string_view name);

/// Error: a use of the name in the body would not be seen, because a macro that the function uses
/// holds the name, or because a token from `from` to below `to` declares the name anew.
Result<> check_name(const PlainSite& site, std::string_view name, std::size_t from, std::size_t to);

/// The brace that closes the block in which the token stands.
std::size_t block_close(const PlainSite& site, std::size_t token);

/// One past the last token of the indices that stand from token `i` on: `[…]` and more of them.
std::size_t indices_end(const PlainSite& site, std::size_t i);

/// Whether the tokens from `begin` to below `end` are sums and products of numbers, names and
/// elements that keep their values from there to token `until`, so that they may be evaluated
/// anywhere between.
bool keeps_value(const PlainSite& site, std::size_t begin, std::size_t end, std::size_t until);

/// Whether what stands before token `begin`, or behind the token before `end`, changes the value
/// in between: an assignment, ++ or --.
bool is_changed(const std::vector<lex::Token>& tokens, std::size_t begin, std::size_t end);

/// The wish, or the wish with a number behind it, such that no word of the file is the same and
/// none of the names that were given before. Remembers the name in `given`.
std::string unused_name(const PlainSite& site, const std::string& wish,
                        std::vector<std::string>& given);

/// Whether an integer parameter of this name is passed by value and never assigned.
bool is_fixed_integer(const PlainSite& site, std::string_view name);

/// Whether the tokens begin with a word that begins a declaration: a type, `auto`, `const`.
bool begins_declaration(const PlainSite& site, std::size_t token);

/// An error at a token. The message shows what to write instead.
std::unexpected<Error> refuse_form(const PlainSite& site, std::size_t token, std::string about,
                                   std::string message);

/// Edits token by token. Comments and line ends between tokens stay; blanks between dropped tokens
/// go with them. A dropped token stays dropped.
class TokenEdits {
 public:
  explicit TokenEdits(const PlainSite& site) : source_(site.source), tokens_(site.tokens) {}

  void put(std::size_t token, std::string text);
  void drop(std::size_t begin, std::size_t end);
  void before(std::size_t token, const std::string& text) { change(token).before += text; }
  void after(std::size_t token, const std::string& text) { change(token).after += text; }
  bool is_dropped(std::size_t token) const;
  bool empty() const { return changes_.empty(); }
  std::vector<PlainEdit> edits() const;

 private:
  struct Change {
    std::string before;
    std::optional<std::string> text;
    std::string after;
    bool is_dropped = false;
  };
  Change& change(std::size_t token) { return changes_[token]; }

  std::string_view source_;
  const std::vector<lex::Token>& tokens_;
  std::map<std::size_t, Change> changes_;
};

}  // namespace kw::task
