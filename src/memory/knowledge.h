// Knowledge: cards that are shipped or made of what is there, and which of them a prompt shows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "memory/advice.h"
#include "memory/data_files.h"
#include "record/card.h"
#include "record/lesson.h"
#include "record/technique_graph.h"

namespace kw::memory {

/// Reads one file of knowledge/ (docs/formats.md); every mistake is a line of the error.
Result<std::vector<Card>> parse_cards(std::string_view text, const std::string& file);

/// All of knowledge/, in the order of the files.
Result<std::vector<Card>> shipped_cards(const DataFiles& data);
/// A snippet for each kernel of the playbook.
std::vector<Card> playbook_cards(const DataFiles& data);
/// A snippet for the newest example of each edge.
std::vector<Card> graph_cards(const TechniqueGraph& graph, Target target);

/// Of code, as snippets show it: whole lines from its beginning.
std::string excerpt(const std::string& source);

/// Whether a card is about such a device; `arch` is empty where there is no GPU.
bool fits(const Card& card, Target target, const std::string& arch);

inline constexpr std::size_t kMostCards = 3;           ///< That a prompt shows, in words.
inline constexpr std::size_t kMostSnippets = 1;        ///< The same, with code.
inline constexpr std::size_t kSnippetBytes = 3 << 10;  ///< Of each.
inline constexpr std::size_t kMostFoundCards = 16;     ///< That a run keeps to choose from.

/// Those worth showing for the kernel at hand, best first: by the search, by the likeness of the
/// embeddings where they were compared, by bottleneck and family, and by what became of the runs
/// that were shown them. No code for the very task: that would be an answer.
std::vector<const FoundCard*> choose_cards(const std::vector<FoundCard>& found,
                                           const AdviceScope& scope);

/// What a prompt tells of techniques and knowledge.
std::vector<Remembered> remembered_of(const LessonSnapshot& known, const AdviceScope& scope);

}  // namespace kw::memory
