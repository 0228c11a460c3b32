// Shows the facts about one attempt of a run: who asked for it and why, how it ended, what it cost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "session/life.h"

namespace kw::cli {

using session::Life;

/// The page of kw explain as text.
std::string page_of(const Life& life);

/// The JSON object that `kw explain --json` prints.
nlohmann::json life_json(const Life& life);

}  // namespace kw::cli
