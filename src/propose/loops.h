// Finds the for loops of a C++ text and the sums that they accumulate, so that OpenMP pragmas can
// be placed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kw::propose {

struct SourceLoop {
  std::size_t offset = 0;  ///< Offset of the keyword `for`.
  std::size_t end = 0;     ///< One past the last character of the loop's body.
  int depth = 1;           ///< 1: the loop is inside no other loop.
  bool is_innermost = true;
  bool is_parallel = false;    ///< Whether iterations may run in parallel.
  bool is_only_child = false;  ///< The enclosing loop's body is this loop and nothing else.
  std::vector<std::string>
      sums;  ///< Scalars declared outside this loop and only added to inside it.
};

/// The for loops of a text, in order. Comments, strings and preprocessor lines are skipped. Text
/// that is not C++ may give wrong loops, which is harmless because every variant is judged.
std::vector<SourceLoop> find_loops(std::string_view source);

/// A line to insert before the loop at `offset`, such as a pragma.
struct Insertion {
  std::size_t offset = 0;
  std::string line;
};

/// The source with each line inserted before its offset, with the indentation found there.
std::string insert_lines(std::string_view source, std::vector<Insertion> insertions);

}  // namespace kw::propose
