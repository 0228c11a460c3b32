// Knowledge cards of a workspace: those that its index keeps, and those that are found for a task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "record/card.h"
#include "store/run_store.h"
#include "task/definition.h"

namespace kw::llm {
class Ledger;
}

namespace kw::engine {

/// The knowledge that the program brings along, and the function by which texts are compared.
struct Shelf {
  std::vector<Card> shipped;   ///< Cards from knowledge/.
  std::vector<Card> playbook;  ///< Kernels of the playbook as snippets.
  /// Returns a vector for each text; empty: cards are ranked by their words alone. Costs tokens,
  /// which the ledger counts and bounds; a null ledger: they are not counted.
  std::function<Result<std::vector<std::vector<float>>>(const std::vector<std::string>&,
                                                        llm::Ledger*)>
      embed{};
  /// Name of the embedding model: its vectors are not compared with another model's.
  std::string embedder{};
  /// Called with messages for the user; may be empty.
  std::function<void(const std::string&)> on_notice{};
};

/// Updates the workspace's index of knowledge: it holds the shelf's cards, the workspace's
/// confirmed kernels, and the examples of its technique graph.
Result<> keep_knowledge(store::RunStore& store, const Shelf& shelf, Target target);

/// Cards that are relevant to a task, best first; `arch` is that of the GPU, empty on cpu;
/// `has_dialect_headers` as in memory::fits(). Vectors are kept, so that each text is paid for
/// once. If vectors cannot be had, the user is told, and words alone decide the ranking.
Result<std::vector<FoundCard>> find_knowledge(store::RunStore& store, const Shelf& shelf,
                                              const task::Definition& task, Target target,
                                              const std::string& arch,
                                              bool has_dialect_headers = true,
                                              llm::Ledger* ledger = nullptr);

}  // namespace kw::engine
