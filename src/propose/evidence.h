// Evidence: how much of an attempt a writer may be told at each level of feedback.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "propose/proposer.h"

namespace kw::propose {

/// The attempt without what lies above the level. Levels from Errors down lack samples, speed and
/// its class; None lacks the verdict's evidence and all findings too. The code, and whether it is
/// correct, stay.
Attempt seen_at(FeedbackLevel level, Attempt attempt);
/// The attempt's line in the history at that level.
AttemptLine seen_at(FeedbackLevel level, AttemptLine line);

/// Removes what `situation.feedback` does not allow of the run's history, best and lessons. The
/// caller passes the attempts and history lines that the situation points to through seen_at().
/// Lessons of earlier runs about failures stay from Errors up, those about speed from Findings up.
void limit(Situation& situation);

}  // namespace kw::propose
