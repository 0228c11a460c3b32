// A kernel's text cut into what can be read once and what can be copied into a namespace.
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
  std::string includes;           ///< Up to the last #include, without `// kw:` lines.
  std::string code;               ///< The rest, without them.
  std::vector<std::string> plan;  ///< Steps, `let` and `require`, each on one line.
  std::set<std::string> macros;   ///< That the code defines or undoes.
};

/// Cuts a source whose header is known. Comments, strings and continued lines are seen as what they
/// are. Errors name the line: code before the last #include; a condition there that hangs on a knob
/// or on a size of a shape; a macro of that part that the code defines anew. O(text).
Result<SourceParts> cut_source(std::string_view source, const CandidateHeader& header);

/// Letters, digits and _ in a row that do not begin with a digit.
std::set<std::string> identifiers_of(std::string_view text);

}  // namespace kw::task
