// Admission: whether a task lets wrong answers pass.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "session/aim.h"
#include "session/options.h"
#include "task/definition.h"

namespace kw::session {

using worker::AdmissionLine;

/// Checks that the task accepts its reference and rejects every null answer and every mutant, by
/// building and running each; returns and stores one line for each result. After `budget_ns` no
/// further check begins, the lines say what was left out, and the task is not admitted; 0: no
/// limit.
Result<std::vector<AdmissionLine>> admit(const Options& options, task::Definition definition,
                                         const Aim& aim = {}, std::int64_t budget_ns = 0);
bool is_admitted(const std::vector<AdmissionLine>& lines);
/// "admitted" or "NOT admitted", and the workloads that were not fully checked.
std::string admission_words(const std::vector<AdmissionLine>& lines);

}  // namespace kw::session
