// Text cases: files with command lines and their expected output, one case each; README.md
// describes the format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kw::program {

/// One statement of a case: its first word, the rest of its line, and the lines after it that begin
/// with a bar.
struct Statement {
  int line = 0;
  std::string verb;
  std::string rest;
  std::string block;  ///< The lines of the block with their line ends.
};

/// Parses the statements of a case; comments and empty lines are skipped.
std::vector<Statement> parse_case(std::string_view text);

/// Splits text into words at blanks. '…' and "…" keep blanks and may be empty. Throws
/// std::runtime_error if a quote does not end.
std::vector<std::string> split_words(std::string_view text);

/// Whether `text` matches `pattern`, in which each `*` stands for any characters.
bool matches(std::string_view pattern, std::string_view text);

/// Runs a case in a workspace of its own, as part of a running test. Each unmet expectation is a
/// failure at its line of `file`.
void run_case(const std::string& file);

}  // namespace kw::program
