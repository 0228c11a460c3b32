// Finds the for loops of a C++ text and what they accumulate, enough to place OpenMP pragmas.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kw::propose {

struct Loop {
  std::size_t offset = 0;  ///< Where the keyword `for` stands.
  std::size_t end = 0;     ///< One past the last character of the loop's body.
  int depth = 1;           ///< 1: inside no other loop.
  bool is_innermost = true;
  bool is_parallel = false;    ///< Its iterations may run at once: has_independent_iterations().
  bool is_only_child = false;  ///< The enclosing loop's body is this loop and nothing else.
  std::vector<std::string>
      sums;  ///< Scalars declared outside this loop and only added to inside it.
};

/// Loops in text order. Comments, strings and preprocessor lines are skipped; a text that is no C++
/// gives some harmless answer, since every variant is judged anyway.
std::vector<Loop> find_loops(std::string_view source);

/// A pragma line to stand before the loop at `offset`.
struct Insertion {
  std::size_t offset = 0;
  std::string line;
};

/// The text with each line put before its offset, indented like the line there.
std::string insert_lines(std::string_view source, std::vector<Insertion> insertions);

}  // namespace kw::propose
