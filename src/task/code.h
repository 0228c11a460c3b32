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

/// The tokens of a source without comments and preprocessor lines. Never fails: bytes that no C++
/// has become symbols, and a string literal without an end stops at the end of its line.
std::vector<CodeToken> tokenize(std::string_view source);

/// Index of the bracket that closes the one at `open`, or tokens.size().
std::size_t find_closing(const std::vector<CodeToken>& tokens, std::size_t open);

/// The number of parameters of each function or template of that name whose definition stands
/// outside all braces but those of `extern "C"`.
std::vector<std::size_t> parameters_of(std::string_view source, std::string_view name);

inline bool defines_function(std::string_view source, std::string_view name) {
  return !parameters_of(source, name).empty();
}

/// The source with C++ linkage instead of C linkage on what it defines itself: on a function or
/// variable, or on a block that mentions `function`. Declarations of functions that others define
/// keep C linkage.
std::string with_cpp_linkage(std::string_view source, std::string_view function);

}  // namespace kw::task
