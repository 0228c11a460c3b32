// A finished run: as report data, as the JSON object of `kw optimize --json`, and as closing lines
// for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "platform/files.h"
#include "report/run_folder.h"

namespace kw::cli {

/// The JSON object of kw optimize: run, best (as in kw judge, plus confirmed, path, source_sha256),
/// attempts, stopped_by, spent.
Json optimized_json(const report::RunData& data, const platform::Path& folder);

/// Closing lines for people: where the winner is, and which commands may follow.
std::string where_to_look(const report::RunData& data, const platform::Path& folder);

}  // namespace kw::cli
