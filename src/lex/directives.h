// The lines of the preprocessor among the tokens of a source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lex/lexer.h"

namespace kw::lex {

struct Directive {
  std::size_t first = 0;      ///< Index of its # among all tokens.
  std::size_t last = 0;       ///< Index behind its last token; a line end is not among them.
  std::vector<Token> tokens;  ///< What stands behind the #, without space; views as in the source.

  /// Such as "define"; empty for a line with # alone, and for a line marker.
  std::string_view name() const;
  /// The word behind the name, such as the macro of a #define; empty where none stands there.
  std::string_view word() const;
  /// What stands behind the name and, if told so, behind the word, on one line without comments.
  std::string text(std::size_t from = 1) const;

  bool opens_group() const { return name() == "if" || name() == "ifdef" || name() == "ifndef"; }
};

/// The directive whose # is token `hash` of lex().
Directive read_directive(const std::vector<Token>& all, std::size_t hash);

/// Whether token `i` of lex() is the # of a directive.
bool begins_directive(const std::vector<Token>& all, std::size_t i);

/// All directives of a source, with those in regions that the preprocessor skips. `all` are the
/// tokens of lex().
std::vector<Directive> directives_of(const std::vector<Token>& all);

}  // namespace kw::lex
