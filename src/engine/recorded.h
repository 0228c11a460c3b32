// Turns a stored attempt into a step of a recorded landscape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record/attempt.h"
#include "search/recorded.h"

namespace kw::engine {

/// Converts an attempt, which must have its source; an error if the attempt's ask cannot be read.
Result<search::RecordedStep> step_of(const Attempt& attempt);

}  // namespace kw::engine
