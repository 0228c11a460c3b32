// How an evaluation is shown: on a terminal, and as the JSON object that --json prints.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "record/evaluation.h"

namespace kw::cli {

/// Prints the verdict, the findings and one line per workload for people; a terminal's lines are
/// folded to its width.
void print_evaluation(const Evaluation& evaluation);

/// The documented object of `kw judge --json`: verdict, findings, speedup, roofline_fraction,
/// device, jail, trust_class, workloads. Samples stay in the store.
nlohmann::json evaluation_json(const Evaluation& evaluation);
std::string judged_json(const Evaluation& evaluation);

}  // namespace kw::cli
