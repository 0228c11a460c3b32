// Mismatch patterns as a closed set, with what each asks a programmer to do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "record/enums.h"
#include "record/verdict.h"

namespace kw::memory {

/// What wrong elements have in common, as src/referee/pattern.cc says it in words.
enum class Pattern {
  None,
  Isolated,
  Tail,
  Period,
  Border,
  Transposed,
  Shifted,
  Factor,
  NotFinite,
  Unwritten,
  Zero,
};

}  // namespace kw::memory

template <>
struct kw::EnumNames<kw::memory::Pattern> {
  static constexpr std::array<std::string_view, 11> names{
      "none",    "isolated", "tail",       "period",    "border", "transposed",
      "shifted", "factor",   "not_finite", "unwritten", "zero"};
};

namespace kw::memory {

/// Of an evaluation's mismatch findings, the first that tells one. Where elements lie says more
/// about loops than which values they have, so place patterns come before value patterns.
Pattern pattern_of(const std::vector<Finding>& findings);

/// What is said and looked for where a pattern was seen.
struct PatternAdvice {
  std::string_view seen;                   ///< "isolated elements were wrong".
  std::string_view rule;                   ///< What a kernel must keep to; a whole sentence.
  std::vector<std::string_view> keywords;  ///< Of statements in a specification that bear on it.
};

/// Of Pattern::None nothing is known.
const PatternAdvice& advice_on(Pattern pattern);

}  // namespace kw::memory
