// C and C++ source as tokens: enough to find functions and to read simple ones.
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

/// Tokens without comments and preprocessor lines. Total: bytes that no C++ has become symbols, and
/// text that does not end stops at its line.
std::vector<CodeToken> tokenize(std::string_view source);

/// Index of the bracket that closes the one at `open`, or tokens.size().
std::size_t find_closing(const std::vector<CodeToken>& tokens, std::size_t open);

/// How many parameters each function (or template) of that name has that is defined outside every
/// brace but those of `extern "C"`.
std::vector<std::size_t> parameters_of(std::string_view source, std::string_view name);

inline bool defines_function(std::string_view source, std::string_view name) {
  return !parameters_of(source, name).empty();
}

/// The source with C++'s linkage where it gives C's to what it defines itself: to a function or
/// variable, or to a block that mentions `function`. Declarations of others' functions keep C's.
std::string with_cpp_linkage(std::string_view source, std::string_view function);

}  // namespace kw::task
