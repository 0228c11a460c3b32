// Compares three kinds of judges, which choose the technique to try next: one learned from recorded
// runs, fixed rules, and models.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/gain_model.h"
#include "engine/judge_choices.h"
#include "llm/spec.h"
#include "session/options.h"

namespace kw::session {

using engine::JudgeComparison;

/// Models to compare with the other judges; one call for each question.
struct JudgeModels {
  std::vector<llm::ModelSpec> specs;
  SpendLimits limits;  ///< The budget of all models together.
  ReplySettings reply;
  std::int64_t timeout_ns = 0;  ///< 0: the default timeouts.
};

/// One judge, how good the techniques were that it chose, and what its calls cost.
struct JudgeChoices {
  std::string judge;
  engine::ChoiceStanding standing;
  Spending spent;
};

struct ComparedJudges {
  JudgeComparison comparison;
  std::size_t questions = 0;  ///< How many questions each judge was asked.
  std::vector<JudgeChoices> choices;
};

/// Five-fold cross-validation: fits the learned judge to four fifths of the recorded runs, and
/// compares the judges on the remaining fifth, by at most `most_questions` questions. Asks the
/// models only if there are at least two runs. Error: a model cannot be asked.
Result<ComparedJudges> compare_judges(const Options& options, Target target,
                                      const JudgeModels& models, std::size_t most_questions);

}  // namespace kw::session
