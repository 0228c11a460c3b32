// The tokens of the function that is being interpreted, and what their order alone says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/host_program.h"
#include "lex/lexer.h"

namespace kw::import {

using Tokens = std::vector<lex::Token>;

/// How deep statements may be nested.
inline constexpr int kDeepestStatements = 60;

/// A type found in the text; `end` is the index of the token after it, or 0 if no type was found.
struct TypeAt {
  std::string type;
  int stars = 0;
  bool is_const = false;
  std::size_t end = 0;
  bool is_static = false;
  bool is_reference = false;
};

/// The part of an expression that is still to be read: the current token, and the end.
struct Cursor {
  std::size_t at = 0;
  std::size_t end = 0;
};

/// Reads the structure of the text, and knows no values.
class HostText {
 public:
  explicit HostText(const TypeNames& types) : types_(types) {}

  const Tokens& tokens() const { return *tokens_; }
  /// Goes on with other tokens, which must outlive their use; returns those before, to go back to.
  const Tokens* switch_to(const Tokens* tokens) { return std::exchange(tokens_, tokens); }

  /// The token at index `i`; an empty one behind the end.
  const lex::Token& at(std::size_t i) const {
    return i < tokens_->size() ? (*tokens_)[i] : nothing_;
  }
  /// The index of the bracket that closes the one at `open`; the number of tokens if none does.
  std::size_t closing(std::size_t open) const;
  /// The byte of the source at which token `i` begins.
  std::size_t place(std::size_t i) const;
  /// The index after the statement that begins at `i`.
  std::size_t statement_end(std::size_t i, std::size_t end, int depth = 0) const;
  /// The ranges between the signs (`,` or `;`) that stand in no brackets; empty ranges are left
  /// out.
  std::vector<std::pair<std::size_t, std::size_t>> parts_between(std::size_t begin, std::size_t end,
                                                                 std::string_view sign) const;
  /// The type that begins at token `i`.
  TypeAt type_at(std::size_t i, std::size_t end) const;

  /// Whether the operator at token `i` writes its operand: an assignment of any kind, ++ or --.
  bool is_write(std::size_t i) const;
  /// The range of tokens that form the operand which the operator at `sign` writes.
  std::pair<std::size_t, std::size_t> written_by(std::size_t sign, std::size_t begin,
                                                 std::size_t end) const;
  /// The names of variables that the tokens may write: by an assignment, ++ or --, by taking an
  /// address, or by a call.
  std::set<std::string> names_written(std::size_t begin, std::size_t end) const;
  /// Whether the tokens write, launch or call something.
  bool has_effects(std::size_t begin, std::size_t end) const;

 private:
  const TypeNames& types_;
  const Tokens* tokens_ = nullptr;
  lex::Token nothing_{};
};

}  // namespace kw::import
