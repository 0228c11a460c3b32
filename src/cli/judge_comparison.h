// kw memory judge: compares three kinds of judges, which choose the technique to try next: one
// learned from recorded runs, fixed rules, and models.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "cli/flags.h"
#include "cli/model_flags.h"
#include "record/enums.h"

namespace kw::cli {

struct JudgeComparisonFlags {
  ModelFlags models;   ///< Models to compare with the judges; one call for each question.
  SpendFlags spend;    ///< The budget of all models together.
  LengthFlags length;  ///< The length of replies.
  AskingFlags asking;
  std::int64_t questions = 40;

  void declare(Flags& flags);
};

/// Five-fold cross-validation: fits the learned judge to four fifths of the recorded runs, and
/// compares the judges on the remaining fifth.
Result<int> show_judges(const Global& global, Target target, const JudgeComparisonFlags& flags);

}  // namespace kw::cli
