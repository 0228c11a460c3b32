// What one plain statement assigns to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lex/lexer.h"

namespace kw::task {

struct Assignment {
  std::string target;         ///< The variable or array.
  std::size_t name = 0;       ///< Token of the target; its indices stand between it and `op`.
  std::size_t op = 0;         ///< Token of the operator.
  bool is_declared = false;   ///< The statement declares the target.
  bool is_pointer = false;    ///< … as a pointer.
  bool reads_target = false;  ///< The target occurs in its own new value.
};

/// The assignment in the tokens from `begin` to below `end`; a declaration without a value counts,
/// with `op` equal to `end`. Nothing where the statement does neither.
std::optional<Assignment> read_assignment(const std::vector<lex::Token>& tokens, std::size_t begin,
                                          std::size_t end);

}  // namespace kw::task
