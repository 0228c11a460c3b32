// Findings about a candidate's machine code, read while a worker judges it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <vector>

#include "compile/disassembler.h"
#include "record/evaluation.h"

namespace kw::evaluate {

/// Starts reading the candidate's machine code in a thread of its own, which the future's end waits
/// for. Where it cannot be read the answer is one note that says why. An invalid future where there
/// is nothing to read: another target, host launchers, baselines, units that are not built.
std::future<std::vector<Finding>> start_reading_code(const compile::Disassembler& disassembler,
                                                     const EvaluationRequest& request);

/// Puts findings about machine code behind those about resources, a note behind all, and numbers
/// the ranks anew.
void add_code_findings(std::vector<Finding> found, Evaluation& evaluation);

}  // namespace kw::evaluate
