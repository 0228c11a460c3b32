// A finished run as report data, as the object of `kw optimize --json`, and as closing words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "engine/run.h"
#include "platform/files.h"
#include "report/run_folder.h"

namespace kw::cli {

/// Converts a report to the data of the report room, and pins the knobs of the best source.
report::RunData run_data(engine::RunReport report, const DeviceFacts& device);

/// The candidate's source with its knobs pinned, which compiles alone.
std::string pinned_source(const Candidate& candidate);

/// The object with run, best (as `judge`, plus confirmed, path, source_sha256), attempts,
/// stopped_by, spent.
Json optimized_json(const report::RunData& data, const platform::Path& folder);

/// Where the winner is, and how to go on.
std::string where_to_look(const report::RunData& data, const platform::Path& folder);

}  // namespace kw::cli
