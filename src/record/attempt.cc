// Makes the AttemptLine of an attempt.
// SPDX-License-Identifier: Apache-2.0
#include "record/attempt.h"

#include <algorithm>

#include "base/text.h"

namespace kw {
namespace {

/// Most bytes of a plan in lists and in the history that a model is shown.
constexpr std::size_t kPlanBytes = 400;

std::string one_line(const std::string& text) {
  std::string line = sanitise(text, kPlanBytes);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

}  // namespace

std::map<std::string, double> spent_ns(const Attempt& attempt) {
  auto stages = attempt.evaluation.stage_ns;
  if (attempt.recalled != 0)
    std::erase_if(stages, [](const auto& stage) { return stage.first != name_of(Stage::Propose); });
  return stages;
}

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
  line.plan = one_line(attempt.plan);
  line.is_unanswered = e.verdict.is_unanswered();
  return line;
}

}  // namespace kw
