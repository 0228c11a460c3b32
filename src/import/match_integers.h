// Matches integers of a host program to sizes of a task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "import/size_symbols.h"

namespace kw::import {

/// A size of the task that a name of the program may stand for.
struct Guess {
  Size size;
  std::string words;
  int score = 0;  ///< How well both agree; 0: only their places agree.
};

struct IntegerMatch {
  std::map<std::string, Guess> sizes;  ///< What names of the program stand for, where it is known.
  std::vector<std::string> assumptions;
};

/// Takes the assignment of names to sizes with the best total of scores, then the order of what is
/// left, and checks it against the grids of launches. `asks_for_all`: indices count dimensions that
/// are always 1 too.
IntegerMatch match_names_of_sizes(const SizeSymbols& symbols, const task::Definition& task,
                                  bool asks_for_all);

/// The names of dims, lets and integers of the task.
std::vector<std::string> names_of_sizes(const task::Definition& task);

}  // namespace kw::import
