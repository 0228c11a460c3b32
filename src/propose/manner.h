// The template variables that only search methods with a Manner set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "memory/template.h"
#include "propose/proposer.h"

namespace kw::propose {

/// Names of the variables that set_manner() sets, and of those about shown sources, which
/// PromptBook sets.
std::vector<std::string> manner_variables();

/// Sets the variables of manner_variables(), except those about shown sources.
void set_manner(memory::Fields& fields, const Situation& situation);

/// Names of the performance counters that the prompt lists, each once.
std::vector<std::string> offered_metrics(const Situation& situation);

/// The parent's source, with a mark before and after the lines that a planner chose.
std::string anchored(const Situation& situation);

/// The result of an attempt in words: "correct, 2.4x the baseline", "failed at check: wrong
/// result".
std::string standing_words(const Attempt& attempt, FeedbackLevel level);

/// The marks that anchored() puts around the chosen lines.
inline constexpr const char* kAnchorBegins = "// >>> the plan begins here";
inline constexpr const char* kAnchorEnds = "// <<< the plan ends here";

}  // namespace kw::propose
