// What a landscape of records takes from a stored attempt.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record/attempt.h"
#include "search/recorded.h"

namespace kw::engine {

/// Error where the ask cannot be read. `attempt` has its source.
Result<search::RecordedStep> step_of(const Attempt& attempt);

}  // namespace kw::engine
