// What memory holds beside lessons, for kw memory: experience with techniques, and knowledge.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/flags.h"
#include "store/run_store.h"

namespace kw::cli {

/// Entries, the latest first; empty texts and no target choose none out. `about`: words of the
/// technique.
Result<int> list_experience(const Global& global, const std::string& task,
                            std::optional<Target> target, const std::string& about);

/// Cards by origin, or those that hold some of the words, best first. Brings the shipped ones into
/// the workspace's index. A card for every target is one for each.
Result<int> list_cards(const Global& global, std::optional<Target> target,
                       const std::string& about);

/// "12 entries of experience (kw memory experience), 60 cards (kw memory cards)"; empty: neither.
Result<std::string> known_beside(store::RunStore& store);

}  // namespace kw::cli
