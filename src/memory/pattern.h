// What each mismatch pattern asks a programmer to do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "record/verdict.h"

namespace kw::memory {

/// Of an evaluation's findings, the first pattern that one tells.
MismatchPattern pattern_of(const std::vector<Finding>& findings);

/// What is said and looked for where a pattern was seen.
struct PatternAdvice {
  std::string_view seen;                   ///< "isolated elements were wrong".
  std::string_view rule;                   ///< What a kernel must keep to; a whole sentence.
  std::vector<std::string_view> keywords;  ///< Of statements in a specification that bear on it.
};

/// Of MismatchPattern::None nothing is known.
const PatternAdvice& advice_on(MismatchPattern pattern);

}  // namespace kw::memory
