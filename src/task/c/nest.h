// The statements of a function body as a tree of loops, branches and plain statements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "task/c/function.h"

namespace kw::task {

struct NestItem {
  /// Jump: `break`, `return`, `switch` and all others whose way is not followed.
  enum class Kind { Loop, If, Else, Plain, Jump };
  Kind kind = Kind::Plain;
  std::size_t begin = 0;  ///< First token.
  std::size_t end = 0;    ///< One past the last token; a plain statement ends before its semicolon.
  /// Tokens between the parentheses of a loop or an `if`; an `else` has those of its `if`.
  std::size_t head = 0;
  std::size_t head_end = 0;
  std::vector<NestItem> inside;  ///< In order; empty for plain statements and jumps.
};

/// The statements of the function's body. Braces are no items, and empty statements are left out.
std::vector<NestItem> nest_of(const std::vector<lex::Token>& tokens, const CFunction& function);

}  // namespace kw::task
