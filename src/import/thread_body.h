// Decides whether the body of one thread can become the body of a loop over elements, and how its
// text must change.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "import/items.h"

namespace kw::import {

/// A half-open range of token indices.
struct Part {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The index of the token after the statement that begins at `i`, at most `end`.
std::size_t statement_end(const std::vector<lex::Token>& tokens, std::size_t i, std::size_t end);

/// How a thread selects the elements that it computes.
enum class Walk {
  OneElement,   ///< The thread computes one element.
  StridedFor,   ///< The thread takes elements at a fixed stride in a `for` loop.
  StridedWhile  ///< As StridedFor, in a `while` loop that ends with the increment.
};

/// What is known about the kernel outside of the thread's body.
struct ThreadContext {
  Walk walk = Walk::OneElement;
  std::vector<std::string> indices;  ///< The names that become counters of loops.
  /// Variables of a thread that are declared before a strided loop, so that they keep values
  /// between its elements.
  std::set<std::string> carried;
  const std::vector<FunctionParameter>* parameters = nullptr;
  const std::vector<Item>* items = nullptr;  ///< All items of the file.
};

struct ThreadBody {
  /// New texts of tokens, by index: for example, a `return` becomes a jump to the next element.
  std::map<std::size_t, std::string> replaced;
  /// Whether the body needs the label kNextElement, to which a `return` inside an inner loop or a
  /// switch jumps.
  bool needs_label = false;
  /// Everything that makes an element depend on another element or on the number of threads, with
  /// its token.
  std::vector<std::pair<std::size_t, std::string>> obstacles;
};

inline constexpr const char* kNextElement = "next_element";

/// Reads the body of a thread. Doubtful cases count as obstacles: where a thread reads what another
/// thread may write, changes its index, a scalar parameter or a variable that its later elements
/// use, or leaves a strided loop early.
ThreadBody read_thread_body(const std::vector<lex::Token>& tokens, Part body,
                            const ThreadContext& context);

}  // namespace kw::import
