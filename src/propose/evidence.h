// Evidence: what of an attempt whoever writes may be told at a level of feedback.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "propose/proposer.h"

namespace kw::propose {

/// The attempt without what lies above the level: samples, speed and its class from Errors down,
/// the verdict's evidence and findings at None. Its code and whether it is correct stay.
Attempt seen_at(FeedbackLevel level, Attempt attempt);
/// The same of its line in the history.
AttemptLine seen_at(FeedbackLevel level, AttemptLine line);

/// Leaves of the run's history, best and lessons what `situation.feedback` allows; the attempts
/// that the situation points to, and the lines of its history, are the caller's to pass through
/// seen_at(). What earlier runs
/// taught of failures stays from Errors up, what they taught of speed from Findings up.
void limit(Situation& situation);

}  // namespace kw::propose
