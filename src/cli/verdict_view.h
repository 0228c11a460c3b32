// How an evaluation is shown: on a terminal, and as the JSON object that --json prints.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.h"
#include "record/evaluation.h"
#include "session/given_kernel.h"

namespace kw::cli {

/// Prints the verdict, the findings and one line per workload for people; lines on a terminal are
/// folded to its width.
void print_evaluation(const Evaluation& evaluation);

/// The object `drafted` of kw judge: how a plan was drafted from host code.
Json drafted_json(const session::DraftedPlan& drafted);

/// A candidate's knobs for people: "B=64 S=2", or "no knobs".
std::string shown_knobs(const KnobPoint& knobs);

}  // namespace kw::cli
