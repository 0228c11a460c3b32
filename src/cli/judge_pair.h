// kw judge A --against B: two kernels of one's own in pairs, and which of them wins.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/flags.h"
#include "cli/judge_flags.h"

namespace kw::cli {

/// Checks B, then judges A in pairs with it, and B with A where that is what may show a winner.
/// kDone: both are correct and were compared, whoever wins. kNotGood: one of them is not correct,
/// or there is no interval. Errors: flags that do not go with two kernels, files that cannot be
/// read.
Result<int> judge_pair(const Global& global, const JudgeFlags& flags, Stage until);

}  // namespace kw::cli
