// What a programmer should do about each pattern of wrong results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "record/verdict.h"

namespace kw::memory {

/// The first mismatch pattern that a finding of the evaluation names.
MismatchPattern pattern_of(const std::vector<Finding>& findings);

/// What a prompt says about a mismatch pattern, and what is searched for in the specification.
struct PatternAdvice {
  std::string_view seen;  ///< What was seen: "isolated elements were wrong".
  std::string_view rule;  ///< What a kernel must do, as a whole sentence.
  /// Words that find the relevant statements of a specification.
  std::vector<std::string_view> keywords;
};

/// The advice on a pattern; empty for MismatchPattern::None.
const PatternAdvice& advice_on(MismatchPattern pattern);

}  // namespace kw::memory
