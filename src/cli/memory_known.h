// What memory holds beside lessons, for kw memory: experience with techniques, and knowledge.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/flags.h"
#include "store/run_store.h"

namespace kw::cli {

/// Lists entries, the latest first. Empty texts and a missing target select all; `about` are words
/// of the technique.
Result<int> list_experience(const Global& global, const std::string& task,
                            std::optional<Target> target, const std::string& about);

/// Lists cards by origin, or those that contain some of the words, best first. Adds the shipped
/// cards to the workspace's index first. A card for all targets counts for each of them.
Result<int> list_cards(const Global& global, std::optional<Target> target,
                       const std::string& about);

/// What memory holds, for the end of a list: "12 entries of experience (kw memory experience), 60
/// cards (kw memory cards)"; empty: neither exists.
Result<std::string> known_beside(store::RunStore& store);

}  // namespace kw::cli
