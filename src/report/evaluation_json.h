// An evaluation as the JSON object that --json prints and certificates hold.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.h"
#include "record/evaluation.h"

namespace kw::report {

/// The object of `kw judge --json`, as docs/formats.md describes it: verdict, findings, speedup,
/// roofline_fraction, device, jail, trust_class, workloads. Leaves out the samples.
Json evaluation_json(const Evaluation& evaluation);

}  // namespace kw::report
