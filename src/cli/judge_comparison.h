// kw memory judge: how the learned judge stands beside rules on recorded runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "cli/flags.h"
#include "record/enums.h"

namespace kw::cli {

/// Fits to four fifths of the recorded runs and compares on the rest, in turn.
Result<int> show_judges(const Global& global, Target target);

}  // namespace kw::cli
