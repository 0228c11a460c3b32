// A published .cu file as text that can be read: what the preprocessor would leave, and its macros.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "task/code.h"

namespace kw::import {

/// Bytes of a source, half-open.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Macro {
  std::string name;
  bool is_function = false;
  std::vector<std::string> parameters;
  std::string body;        ///< Without comments, on one line.
  std::size_t offset = 0;  ///< Of its directive.
};

/// A `#define` or `#undef`.
struct MacroLine {
  std::string name;
  TextRange line;
};

struct Include {
  std::string path;  ///< As written, without quotes or angles.
  TextRange line;
};

/// A source without byte-order mark and carriage returns. Conditions over names that the file does
/// not define are decided as a compiler without options would; those that a compiler or a header
/// decides (names that begin with __) leave all their branches in.
struct ForeignSource {
  std::string text;                     ///< What offsets count in.
  std::string code;                     ///< As long as `text`; inactive lines are blank.
  std::map<std::string, Macro> macros;  ///< By name; the last definition.
  std::vector<MacroLine> macro_lines;   ///< Active ones, as the next.
  std::vector<Include> includes;
  std::set<std::string> knobs;          ///< What `// kw:` lines define, as macros of the candidate.
  std::vector<TextRange> gone;          ///< Whole lines: decided conditions, and what they hide.
  std::vector<std::string> options;     ///< Names whose `#ifdef` was decided as not defined.
  std::vector<task::CodeToken> tokens;  ///< Of `code`.
};

/// Total and linear but for nested macros. The result must not be copied: tokens are views.
ForeignSource read_foreign(std::string_view source);

/// Tokens from `begin` to before `end` with their macros replaced, but for macros that stand for a
/// plain expression of numbers, which are looked up by name. What comes of a macro has the place of
/// the name. Bounded; what is beyond 200,000 tokens is left out.
std::vector<task::CodeToken> expand_macros(const ForeignSource& source, std::size_t begin,
                                           std::size_t end);

/// Whether a macro's body is made of names, numbers and arithmetic alone.
bool is_plain_expression(const Macro& macro);

}  // namespace kw::import
