// How an evaluation is shown: on a terminal, and as the JSON object that --json prints.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "record/evaluation.h"

namespace kw::cli {

/// Prints the verdict, the findings and one line per workload for people; lines on a terminal are
/// folded to its width.
void print_evaluation(const Evaluation& evaluation);

/// The object of `kw judge --json`, as docs/formats.md describes it: verdict, findings, speedup,
/// roofline_fraction, device, jail, trust_class, workloads. Leaves out the samples.
nlohmann::json evaluation_json(const Evaluation& evaluation);
std::string judged_json(const Evaluation& evaluation);

}  // namespace kw::cli
