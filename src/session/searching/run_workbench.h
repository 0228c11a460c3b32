// The workbench on which a stored run searched.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/workbench.h"
#include "record/attempt.h"
#include "session/options.h"

namespace kw::session {

/// Rebuilds the workbench on which a run searched, from its task as it is now, or from its
/// landscape. Error: the task has changed since the run.
Result<std::unique_ptr<engine::Workbench>> workbench_of(const Options& options,
                                                        const RunSummary& run);

}  // namespace kw::session
