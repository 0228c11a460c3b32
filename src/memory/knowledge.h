// Knowledge: cards that are shipped, or made from the playbook and the graph of techniques, and the
// choice of those that a prompt shows.
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
#include "record/task.h"
#include "record/technique_graph.h"

namespace kw::memory {

/// Reads one file of knowledge/ (docs/formats.md); every mistake is one line of the error.
Result<std::vector<Card>> parse_cards(std::string_view text, const std::string& file);

/// All cards of knowledge/, in the order of the files.
Result<std::vector<Card>> shipped_cards(const DataFiles& data);
/// Makes a card with code for each kernel of the playbook. A search of the knowledge finds these
/// cards; prompts show kernels of the playbook as examples instead.
std::vector<Card> playbook_cards(const DataFiles& data);
/// Makes a card with code for the newest example of each edge.
std::vector<Card> graph_cards(const TechniqueGraph& graph, Target target);

/// The beginning of a source as cards show it: whole lines, at most kSnippetBytes.
std::string excerpt(const std::string& source);

/// Whether a card applies to the target and architecture and its code compiles here. `arch` is
/// empty where there is no GPU; `has_dialect_headers` is false where the headers of the
/// target's dialects are not found.
bool fits(const Card& card, Target target, const std::string& arch,
          bool has_dialect_headers = true);

inline constexpr std::size_t kMostCards = 4;  ///< The most cards in words for any architecture.
/// The most cards in words that a prompt shows; those beyond kMostCards are techniques of the
/// architecture.
inline constexpr std::size_t kMostCardsOfArch = 8;
inline constexpr std::size_t kMostSnippets = 1;  ///< The most cards with code that a prompt shows.
inline constexpr std::size_t kSnippetBytes = 3 << 10;  ///< The most bytes of one snippet.
/// The most cards that a run keeps to choose from.
inline constexpr std::size_t kMostFoundCards = 16;

/// Whether the task has an input of a type, a tensor of a role, and in its reference a name that
/// the card is about.
bool is_about(const Card& card, const Task& task, std::string_view reference = {});

/// Whether a card in words is made for the family of tasks, or for certain architectures: such a
/// card is told whatever words the task uses.
bool is_for_this(const Card& card, const std::string& family);

/// The cards worth showing for the kernel, best first: those for its family or architecture, and
/// others that share several words with the task; of code only what a workspace confirmed, since
/// the playbook's kernels are examples. Ranked by the text search, by the likeness of
/// embeddings where these were compared, by bottleneck and family, and by how runs ended that were
/// shown them. Code of the task itself is left out, because it would be an answer.
std::vector<const FoundCard*> choose_cards(const std::vector<FoundCard>& found,
                                           const AdviceScope& scope);

/// What a prompt tells about techniques, from experience and from cards.
std::vector<Remembered> remembered_of(const LessonSnapshot& known, const AdviceScope& scope);

}  // namespace kw::memory
