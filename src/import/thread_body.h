// Whether the body of one thread can become the body of a loop over elements, and what changes in
// its text for that.
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

/// A half-open range of tokens.
struct Part {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The index behind the statement that begins at `i`, at most `end`.
std::size_t statement_end(const std::vector<task::CodeToken>& tokens, std::size_t i,
                          std::size_t end);

/// How a thread comes to its elements.
enum class Walk {
  OneElement,   ///< The thread computes one element.
  StridedFor,   ///< The thread takes every so many elements in a `for` loop.
  StridedWhile  ///< The same in a `while` loop, whose body ends with the step.
};

/// What is known of a kernel around the body of its threads.
struct ThreadContext {
  Walk walk = Walk::OneElement;
  std::vector<std::string> indices;  ///< The names that become counters of loops.
  /// Variables of a thread that were declared before a strided loop.
  std::set<std::string> carried;
  const std::vector<FunctionParameter>* parameters = nullptr;
  const std::vector<Item>* items = nullptr;  ///< All items of the file.
};

struct ThreadBody {
  /// Tokens whose text changes: a `return` goes to the next element.
  std::map<std::size_t, std::string> replaced;
  /// A `return` inside an inner loop or a switch jumps to the label kNextElement.
  bool needs_label = false;
  /// What makes an element depend on another one or on the number of threads, with its token.
  std::vector<std::pair<std::size_t, std::string>> obstacles;
};

inline constexpr const char* kNextElement = "next_element";

/// Reads the body. An obstacle is found in doubt: where a thread reads what another one may write,
/// changes its index, a scalar parameter or a variable that its later elements see, or leaves a
/// strided loop early.
ThreadBody read_thread_body(const std::vector<task::CodeToken>& tokens, Part body,
                            const ThreadContext& context);

}  // namespace kw::import
