// Splits C and C++ source into tokens: enough to find functions and to read simple ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kw::task {

struct CodeToken {
  enum class Kind { Word, Number, Text, Symbol };
  Kind kind = Kind::Symbol;
  std::string_view text;  ///< A view into the source.
  std::size_t offset = 0;

  bool is(std::string_view wanted) const { return text == wanted && kind != Kind::Text; }
};

/// The tokens of a source without comments and preprocessor lines. Never fails: a byte that C++
/// does not use becomes a symbol, and an unterminated string literal ends at the end of its line.
std::vector<CodeToken> tokenize(std::string_view source);

/// Index of the bracket that closes the bracket at `open`, or tokens.size().
std::size_t find_closing(const std::vector<CodeToken>& tokens, std::size_t open);

/// The source from token `begin` to below `end` on one line, without comments.
std::string source_text(const std::vector<CodeToken>& tokens, std::size_t begin, std::size_t end);

/// The numbers of parameters of the functions and templates with this name, whose definitions may
/// be enclosed by no braces other than those of `extern "C"`.
std::vector<std::size_t> parameters_of(std::string_view source, std::string_view name);

inline bool defines_function(std::string_view source, std::string_view name) {
  return !parameters_of(source, name).empty();
}

/// The source with C++ linkage in place of C linkage for everything that the source itself defines:
/// a function, a variable, or a block that mentions `function`. Declarations of functions that
/// other sources define keep C linkage.
std::string with_cpp_linkage(std::string_view source, std::string_view function);

}  // namespace kw::task
