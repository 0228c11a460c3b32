// Findings about a candidate's machine code, which is read while a worker judges the candidate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <vector>

#include "compile/disassembler.h"
#include "record/evaluation.h"

namespace kw::evaluate {

/// Starts a thread that reads the candidate's machine code; the future's destructor waits for it.
/// If the code cannot be read, the result is one note that says why. The future is invalid if there
/// is nothing to read: another target, host launchers, baselines, units that are not built.
std::future<std::vector<Finding>> start_reading_code(const compile::Disassembler& disassembler,
                                                     const EvaluationRequest& request);

/// Inserts findings about machine code behind those about resources, or a note behind all other
/// findings, and renumbers the ranks.
void add_code_findings(std::vector<Finding> found, Evaluation& evaluation);

}  // namespace kw::evaluate
