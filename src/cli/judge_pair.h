// kw judge A --against B: compares two kernels in pairs and says which one wins.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/flags.h"
#include "cli/judge_flags.h"

namespace kw::cli {

/// Checks B, then judges A in pairs with B. Judges B in pairs with A only if that may show B as the
/// winner. kDone: both kernels are correct and were compared, whichever wins. kNotGood: one of them
/// is not correct, or there is no interval. Errors: flags that do not fit two kernels, files that
/// cannot be read.
Result<int> judge_pair(const Global& global, const JudgeFlags& flags, Stage until);

}  // namespace kw::cli
