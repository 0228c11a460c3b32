// Makes a plain C function of one that uses more of C and C++ than a task's signature can hold.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lex/lexer.h"

namespace kw::task {

/// A source file with the function that a task is drafted from.
struct PlainSite {
  std::string_view source;
  std::string_view file;  ///< Its name, for messages.
  const std::vector<lex::Token>& tokens;
  std::size_t begin = 0;  ///< Token with which the function's declaration begins.
  std::size_t open = 0;   ///< Token of the body's brace.
  std::size_t close = 0;  ///< Token of the brace that closes the body.
};

/// What takes the place of the source's bytes from `begin` up to, but without, `end`.
struct PlainEdit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

/// What one form of C++ becomes.
struct PlainStep {
  std::vector<PlainEdit> edits;    ///< Not overlapping, in any order; empty: the form is not there.
  std::vector<std::string> notes;  ///< One line each: what became of what.
};

/// The source with the edits made.
std::string with_edits(std::string_view source, std::vector<PlainEdit> edits);

struct PlainSource {
  std::string source;
  std::vector<std::string> notes;  ///< One line each: what became of what.
};

/// Leaves out the lines that a compiler without options skips, as with_decided_conditions() says,
/// and rewrites the function `wanted` (if empty, the only one that is not static) form by form,
/// until only pointers to numbers, arrays of numbers and numbers are passed, nothing is returned,
/// and everything that the function uses is passed. A function that is plain already, and one that
/// is not found, stay as they are. Error: a form that cannot be rewritten; the message shows by an
/// example what to write in its place. Cost: linear in the source for each form.
Result<PlainSource> plain_source(std::string_view source, std::string_view file,
                                 std::string_view wanted);

}  // namespace kw::task
