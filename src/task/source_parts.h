// Splits a kernel's source into a part that is included once and a part that can be copied into
// namespaces.
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

/// Splits a source whose header was parsed; understands comments, strings and continued lines.
/// Errors name the line: code before the last #include; a condition before it that depends on a
/// knob or on a size of a shape; a macro from before it that the code redefines. Linear in the
/// text.
Result<SourceParts> cut_source(std::string_view source, const CandidateHeader& header);

/// The identifiers in a text: sequences of letters, digits and _ that do not begin with a digit.
std::set<std::string> identifiers_of(std::string_view text);

}  // namespace kw::task
