// Cuts a kernel's text into what is read once and what can be copied into a namespace.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "task/header.h"

namespace kw::task {

struct SourceParts {
  std::string includes;           ///< The text up to the last #include, without `// kw:` lines.
  std::string code;               ///< The text after `includes`, without `// kw:` lines.
  std::vector<std::string> plan;  ///< Steps, `let` and `require` of the plan, each on one line.
  std::set<std::string> macros;   ///< Macros that the code defines or undefines.
};

/// Cuts a source whose header is known, with regard to comments, strings and continued lines.
/// Errors name the line: code before the last #include; a condition there that depends on a knob or
/// on a size of a shape; a macro of the first part that the code redefines. O(text).
Result<SourceParts> cut_source(std::string_view source, const CandidateHeader& header);

/// The identifiers in a text: letters, digits and _ in a row that do not begin with a digit.
std::set<std::string> identifiers_of(std::string_view text);

}  // namespace kw::task
