// Reads a published .cu file as a preprocessor would: the text that remains, and the file's macros.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lex/lexer.h"

namespace kw::import {

/// A half-open range of bytes in a source.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Macro {
  std::string name;
  bool is_function = false;
  std::vector<std::string> parameters;
  std::string body;          ///< The macro's text without comments, on one line.
  std::size_t offset = 0;    ///< Byte at which the `#define` begins.
  bool is_doubtful = false;  ///< Whether the preprocessor may drop the definition.
};

/// Text of which one file alone cannot say whether the preprocessor drops it.
struct DoubtfulText {
  TextRange range;
  std::string condition;  ///< The condition of the `#if`, as written.
};

/// One line with `#define` or `#undef`.
struct MacroLine {
  std::string name;
  TextRange line;
};

struct Include {
  std::string path;  ///< The path as written, without quotes or angle brackets.
  TextRange line;
};

/// A source without byte-order mark and carriage returns. Conditions over names that the file does
/// not define are decided as by a compiler without options. Conditions that a compiler or a header
/// decides (names that begin with __) keep all their branches.
struct ForeignSource {
  std::string text;                     ///< The text to which all offsets refer.
  std::string code;                     ///< `text` with inactive lines blanked.
  std::map<std::string, Macro> macros;  ///< The last definition of each macro, by name.
  /// All definitions, in order, of macros that are defined more than once or undefined. An entry
  /// with an empty name stands for an `#undef`.
  std::map<std::string, std::vector<Macro>> macro_history;
  std::vector<DoubtfulText> doubtful;
  std::vector<MacroLine> macro_lines;  ///< The active lines that define or undefine macros.
  std::vector<Include> includes;
  std::set<std::string> knobs;  ///< Names that `// kw:` lines define as macros of the candidate.
  /// Lines that the preprocessor drops: directives whose condition is decided, and the lines of
  /// branches that are not taken.
  std::vector<TextRange> gone;
  std::vector<std::string> options;  ///< Names whose `#ifdef` was decided as "not defined".
  lex::Tokens tokens;                ///< The tokens of `code`.
};

/// Reads any text, in time linear in its length except for nested macros. The result must not be
/// copied, because its tokens are views of its text.
ForeignSource read_foreign(std::string_view source);

/// The tokens in [begin, end) with macros replaced. A macro that stands for a plain expression of
/// numbers is not replaced but looked up by name later. Tokens from a macro have the offset of the
/// macro's name. At most 200,000 tokens are returned.
std::vector<lex::Token> expand_macros(const ForeignSource& source, std::size_t begin,
                                      std::size_t end);

/// The definition of macro `name` that is in force at a byte offset of the text; null if there is
/// none.
const Macro* macro_at(const ForeignSource& source, const std::string& name, std::size_t offset);

/// Whether a macro's body consists of names, numbers and arithmetic operators alone.
bool is_plain_expression(const Macro& macro);

}  // namespace kw::import
