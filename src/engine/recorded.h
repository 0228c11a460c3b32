// Turns a stored attempt into a step of a recorded landscape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record/attempt.h"
#include "search/recorded.h"

namespace kw::engine {

/// An error if the ask cannot be read. `attempt` must have its source.
Result<search::RecordedStep> step_of(const Attempt& attempt);

}  // namespace kw::engine
