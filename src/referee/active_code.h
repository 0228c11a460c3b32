// The part of a source that a compiler may compile, as the screen sees it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "lex/directives.h"
#include "lex/lexer.h"
#include "record/evidence_kind.h"

namespace kw::referee {

/// Which macros count as defined where a condition asks. For rules that no check of the object
/// repeats: any macro, since a header may define it; for others: those that the text, a knob or the
/// compiler defines.
enum class Names { MayBeDefined, AsTheTextSays };

/// What is left of a source without comments and without regions that the preprocessor certainly
/// skips. An unknown condition leaves all its branches.
struct ActiveCode {
  std::vector<lex::Token> tokens;          ///< Of code and directives, without space.
  std::vector<lex::Directive> directives;  ///< With each #if, its #else, #elif and #endif.
};

/// `all` are the tokens of `text`, whose views the result shares. Linear in the text.
ActiveCode active_code(std::string_view text, const std::vector<lex::Token>& all, Names names);

/// Why compilers may take a text apart in different ways, at the token to blame: a name runs into
/// the prefix of a raw literal, a raw literal has no end, a header's name has odd characters. Such
/// text is refused, since the screen could miss what a compiler sees.
struct Unclear {
  std::size_t offset = 0;
  EvidenceKind why = EvidenceKind::None;  ///< None: the text is clear.
};
Unclear find_unclear(const std::vector<lex::Token>& all);

}  // namespace kw::referee
