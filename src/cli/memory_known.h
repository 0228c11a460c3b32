// What a workspace's memory holds beside lessons: past experience with techniques, and cards of
// knowledge. For kw memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/flags.h"
#include "store/run_store.h"

namespace kw::cli {

/// Lists past experience with techniques, the latest entry first. Empty texts and a missing target
/// select all entries; `about` holds words of the technique's name.
Result<int> list_experience(const Global& global, const std::string& task,
                            std::optional<Target> target, const std::string& about);

/// Lists knowledge cards by origin, or, if `about` is not empty, the cards that contain some of its
/// words, best match first. First adds the shipped cards to the workspace's index. A card for all
/// targets is listed under each target.
Result<int> list_cards(const Global& global, std::optional<Target> target,
                       const std::string& about);

/// How many entries of experience and cards there are, for the end of a list of lessons: "12
/// entries of experience (kw memory experience), 60 cards (kw memory cards)"; empty: there are
/// neither.
Result<std::string> known_beside(store::RunStore& store);

}  // namespace kw::cli
