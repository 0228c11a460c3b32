// Splits C, C++ and CUDA source into tokens that cover the text, as compilers read it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kw::lex {

struct Token {
  enum class Kind {
    Word,
    Number,
    Text,  ///< A string or character literal with its prefix; a suffix is a Word of its own.
    Symbol,
    Header,   ///< The name after #include or in __has_include(…), with its quotes or brackets.
    Comment,  ///< Without the line end that ends a // comment.
    Blank,    ///< Blanks, line splices outside of other tokens, the byte-order mark.
    LineEnd   ///< The end of a logical line: "\n", "\r\n" or "\r".
  };
  Kind kind = Kind::Symbol;
  /// The token as the compiler reads it: without line splices, and of a digraph the symbol that it
  /// stands for. A view into the source, or into storage of the Tokens that hold this token.
  std::string_view text;
  std::size_t offset = 0;     ///< In the source.
  std::size_t end = 0;        ///< One past the last byte in the source.
  bool in_directive = false;  ///< Whether the token belongs to a line of the preprocessor.
  bool is_whole = true;       ///< False: a literal or comment without an end.

  /// Whether this is the word, number or symbol `wanted`; a literal never is.
  bool is(std::string_view wanted) const { return text == wanted && kind != Kind::Text; }
  /// Whether the compiler ignores the token, except as a separator.
  bool is_space() const {
    return kind == Kind::Comment || kind == Kind::Blank || kind == Kind::LineEnd;
  }
};

/// Tokens in the order of the source. The source must outlive them.
class Tokens {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): functions over tokens take plain vectors
  operator const std::vector<Token>&() const& { return all_; }
  operator const std::vector<Token>&() const&& = delete;
  const Token& operator[](std::size_t i) const { return all_[i]; }
  const Token* data() const { return all_.data(); }
  std::size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  friend class Lexer;
  friend Tokens significant(std::string_view);
  friend Tokens tokenize(std::string_view);

  std::vector<Token> all_;
  /// The texts of tokens that hold line splices. Shared by copies; a deque never moves its
  /// elements.
  std::shared_ptr<std::deque<std::string>> spelled_;
};

/// Where compilers read the same bytes differently.
enum class Rules {
  Gnu,  ///< GCC and clang: blanks may follow the backslash of a line splice; "\r" ends a line.
  Edg   ///< NVRTC: a line splice is a backslash and a line end; a lone "\r" is a blank.
};

/// All tokens of a source: they follow one another without gaps from its first byte to its last.
/// Accepts any text: a byte that C++ does not use becomes a symbol, and a string or character
/// literal without an end ends at the end of its line, a raw one and a comment at the end of the
/// text. Regions that the preprocessor skips are read like others, as compilers do to find #endif.
/// Trigraphs are not replaced. Linear in the text.
Tokens lex(std::string_view source, Rules rules = Rules::Gnu);

/// The tokens of a source that are no space (comments, blanks, line ends).
Tokens significant(std::string_view source);

/// The significant tokens of a source without the preprocessor's lines.
Tokens tokenize(std::string_view source);

/// Index of the bracket that closes the bracket at `open`, or tokens.size().
std::size_t find_closing(const std::vector<Token>& tokens, std::size_t open);

/// The source from token `begin` to below `end` on one line, without comments: a blank stands where
/// tokens do not touch.
std::string source_text(const std::vector<Token>& tokens, std::size_t begin, std::size_t end);

/// Whether the word is the prefix of a raw string literal.
bool is_raw_prefix(std::string_view word);

/// The bytes that a string or character literal stands for, without quotes, prefix and suffix, in
/// UTF-8. An escape that C++ does not know stands for the character behind its backslash.
std::string value_of_literal(const Token& literal);

}  // namespace kw::lex
