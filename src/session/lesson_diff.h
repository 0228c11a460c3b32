// What a run changed in the lessons that prompts tell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "session/options.h"
#include "store/run_store.h"

namespace kw::session {

struct LessonDiff {
  std::string run;
  std::vector<LessonChange> changes;
  std::string lines;  ///< The difference between what prompts told before and after the run.
};

/// Error: no such run, or the run used no memory.
Result<LessonDiff> lesson_diff(const Options& options, const std::string& run);

}  // namespace kw::session
