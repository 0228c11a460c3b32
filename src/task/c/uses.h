// What a function body calculates with the elements of its arrays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "task/c/function.h"

namespace kw::task {

/// Tokens of one use each; 0: there is none.
struct ArrayUses {
  std::size_t divisor = 0;           ///< Something is divided by an element, or reduced modulo it.
  std::size_t root = 0;              ///< A root, logarithm or power of an element is taken.
  std::size_t diagonal_divisor = 0;  ///< … of an element of the diagonal.
  std::size_t diagonal_root = 0;
  std::size_t shift = 0;  ///< Bits are shifted by an element.
  std::size_t product = 0;
  std::size_t sum = 0;
  std::size_t feedback = 0;  ///< Elements are replaced by sums of elements.
  /// Something small is added to elements where the largest or smallest sum replaces one.
  std::size_t bonus = 0;
  std::size_t index = 0;  ///< An index is calculated from elements.
  std::size_t peers = 0;  ///< Elements are compared with elements.
  /// Elements are compared with the numbers `order_to`, or with something else but elements.
  std::size_t order = 0;
  std::vector<std::int64_t> order_to;
  /// Elements are only told apart from zero, as in `if (x[i])`: the first such use; 0: they serve
  /// for more than that, or for nothing.
  std::size_t flag = 0;
  std::size_t equal = 0;  ///< Elements are compared with the numbers `equal_to`.
  std::vector<std::int64_t> equal_to;
};

/// Reads the uses of one array; `source` is the text of the tokens, whose macros count.
ArrayUses uses_of(const CFunction& function, std::string_view source,
                  const std::vector<lex::Token>& tokens, const std::string& array);

/// Token of a division by a variable that the innermost loop around the division also multiplies,
/// such as `beta` in `beta = (1 - a * a) * beta; a = r[k] / beta`; 0: there is none. Such a
/// variable goes to zero or grows without bound unless the inputs are small.
std::size_t running_divisor(const CFunction& function, const std::vector<lex::Token>& tokens);

/// Names of functions whose argument may not be negative.
bool is_root(std::string_view name);

}  // namespace kw::task
