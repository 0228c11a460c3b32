// Evidence: how much of an attempt is shown to a writer at each level of feedback.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "propose/proposer.h"

namespace kw::propose {

/// Returns the attempt without what the level hides. From Errors down samples, speeds and the class
/// of a speed are missing; at None the verdict's evidence and all findings too. The code, and
/// whether it is correct, always remain.
Attempt seen_at(FeedbackLevel level, Attempt attempt);
/// Returns the attempt's line of the history without what the level hides.
AttemptLine seen_at(FeedbackLevel level, AttemptLine line);

/// Removes from the situation's history, best attempt and lessons what `situation.feedback` hides.
/// The caller must have applied seen_at() to the attempts and history lines that the situation
/// points to. Lessons of earlier runs about failures remain from Errors up, lessons about speed
/// from Findings up.
void limit(Situation& situation);

}  // namespace kw::propose
