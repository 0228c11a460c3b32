// kw memory judge: how the learned judge stands beside rules and models on recorded runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "cli/flags.h"
#include "cli/model_flags.h"
#include "record/enums.h"

namespace kw::cli {

struct JudgeComparisonFlags {
  ModelFlags models;   ///< Asked beside the others, one call for each question.
  SpendFlags spend;    ///< Over all of them.
  LengthFlags length;  ///< Of replies.
  AskingFlags asking;
  std::int64_t questions = 40;

  void declare(Flags& flags);
};

/// Fits to four fifths of the recorded runs and compares on the rest, in turn.
Result<int> show_judges(const Global& global, Target target, const JudgeComparisonFlags& flags);

}  // namespace kw::cli
