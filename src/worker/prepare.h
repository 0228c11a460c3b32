// Prepare: everything before a device is needed – screening of the source, builds, screening of the
// object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "compile/compiler.h"
#include "record/evaluation.h"

namespace kw::worker {

/// Builds the units that have no object yet. An evaluation comes back if the candidate's journey
/// ends here (rejected, compile_failed, …); otherwise the request is ready to be judged. A
/// reference or opponent that does not compile is an error that shows its first diagnostic. Runs
/// compilers in jails, `threads` at once.
Result<std::optional<Evaluation>> prepare(EvaluationRequest& request, compile::Compiler& compiler,
                                          int threads);

/// Builds the task's own units only.
Result<> build_references(EvaluationRequest& request, compile::Compiler& compiler, int threads);

}  // namespace kw::worker
