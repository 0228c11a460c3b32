// How an evaluation is shown: on a terminal, and as the JSON object that --json prints.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "record/evaluation.h"

namespace kw::cli {

/// Prints verdict, findings and one line for each workload, for people.
void print_evaluation(const Evaluation& evaluation);

/// The object of `kw judge --json`, as documented: verdict, findings, speedup, roofline_fraction,
/// device, jail, trust_class, workloads. Samples stay in the store.
nlohmann::json evaluation_json(const Evaluation& evaluation);
std::string judged_json(const Evaluation& evaluation);

}  // namespace kw::cli
