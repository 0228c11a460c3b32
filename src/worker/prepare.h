// Prepare: everything before a device is needed – screening of the source, builds, screening of the
// object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "compile/compiler.h"
#include "record/evaluation.h"

namespace kw::worker {

struct Prepared {
  std::optional<Evaluation>
      ended;            ///< The candidate's journey ends here: rejected, compile_failed, …
  double build_ns = 0;  ///< Screening and building, cache hits included.
};

/// Screens the candidate and builds the units that have no object yet; without `ended`, the request
/// is ready to be judged. A reference or opponent that does not compile is an error that shows its
/// first diagnostic. Runs on the controller's side, compilers in jails, `threads` at once.
Result<Prepared> prepare(EvaluationRequest& request, compile::Compiler& compiler, int threads);

/// Builds the task's own units only.
Result<> build_references(EvaluationRequest& request, compile::Compiler& compiler, int threads);

}  // namespace kw::worker
