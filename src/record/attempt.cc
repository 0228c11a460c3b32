// The line of an attempt.
// SPDX-License-Identifier: Apache-2.0
#include "record/attempt.h"

namespace kw {

AttemptLine line_of(const Attempt& attempt) {
  const Evaluation& e = attempt.evaluation;
  AttemptLine line;
  line.number = attempt.number;
  line.parent = attempt.parent;
  line.name = attempt.candidate.name;
  line.origin = attempt.candidate.origin;
  line.knobs = attempt.candidate.knobs;
  line.stage = e.verdict.stage;
  line.outcome = e.verdict.outcome;
  line.outcome_class = attempt.outcome_class;
  line.speedup = attempt.against_baseline.value;
  line.reward = attempt.reward;
  line.mean_ns = e.mean_time_ns();
  line.at_ns = attempt.at_ns;
  line.device = e.device;
  line.words = attempt.words;
  return line;
}

}  // namespace kw
