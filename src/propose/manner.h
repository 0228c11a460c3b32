// The variables of prompts that only methods with a manner of their own set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "memory/template.h"
#include "propose/proposer.h"

namespace kw::propose {

/// Their names, with those that PromptBook sets for the sources that a view shows.
std::vector<std::string> manner_variables();

/// Sets all but those of shown sources.
void set_manner(memory::Fields& fields, const Situation& situation);

/// Names of the counters that the prompt lists, each once.
std::vector<std::string> offered_metrics(const Situation& situation);

/// The parent's source, with a mark before and behind the lines that a planner pointed at.
std::string anchored(const Situation& situation);

/// "correct, 2.4x the baseline", "failed at check: wrong result".
std::string standing_words(const Attempt& attempt, FeedbackLevel level);

/// Marks of anchored().
inline constexpr const char* kAnchorBegins = "// >>> the plan begins here";
inline constexpr const char* kAnchorEnds = "// <<< the plan ends here";

}  // namespace kw::propose
