// A run that has ended, as report data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/run.h"
#include "report/run_data.h"

namespace kw::session {

/// Converts the engine's report to the data that report/ formats, and fixes the knobs in the best
/// kernel's source.
report::RunData run_data(engine::RunReport report, const DeviceFacts& device);

/// The candidate's source with its knob values defined in the text, so that the file compiles
/// alone.
std::string pinned_source(const Candidate& candidate);

}  // namespace kw::session
