// prepare(): everything that needs no device: screening the source, building, screening the object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "compile/compiler.h"
#include "record/evaluation.h"

namespace kw::evaluate {

struct Prepared {
  /// Set if the evaluation ends before the device is needed: rejected, compile_failed, …
  std::optional<Evaluation> ended;
  double build_ns = 0;  ///< Time of screening and building, cache hits included.
};

/// Screens the candidate and builds the units that have no object yet. Without `ended`, the request
/// is ready to be judged. A reference or opponent that does not compile is an error that shows its
/// first diagnostic. Runs on the controller's side, with up to `threads` compilers at once, each in
/// a jail.
Result<Prepared> prepare(EvaluationRequest& request, compile::Compiler& compiler, int threads);

/// Builds only the units that belong to the task, such as its references, and not the candidate.
/// Changed references (kLoopsRole, referee::kReorderedRole) are left out where they do not
/// compile.
Result<> build_references(EvaluationRequest& request, compile::Compiler& compiler, int threads);

}  // namespace kw::evaluate
