// Text cases: command lines with what they must print, one file each; README.md is the format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kw::program {

/// One statement of a case: its first word, what follows it, and the `| ` lines below it.
struct Statement {
  int line = 0;
  std::string verb;
  std::string rest;
  std::string block;  ///< The lines of the block with their line ends.
};

/// The statements of a case; comments and empty lines are left out.
std::vector<Statement> parse_case(std::string_view text);

/// Words separated by blanks; '…' and "…" keep blanks and may be empty. Throws std::runtime_error
/// on a quote that does not end.
std::vector<std::string> split_words(std::string_view text);

/// True where `text` is `pattern`, with any characters for each `*`.
bool matches(std::string_view pattern, std::string_view text);

/// Carries a case out in a workspace of its own, as part of a running test: each expectation that
/// does not hold is a failure at its line of `file`.
void run_case(const std::string& file);

}  // namespace kw::program
