// Knowledge of a workspace: sets of cards kept in its index, and what is found for a task.
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

/// What a program brings along, and whoever compares meanings.
struct Shelf {
  std::vector<Card> shipped;   ///< knowledge/.
  std::vector<Card> playbook;  ///< Its kernels as snippets.
  /// A vector for each text; empty: cards are ranked by their words alone. Spends tokens, which
  /// the ledger counts and bounds; null: nobody does.
  std::function<Result<std::vector<std::vector<float>>>(const std::vector<std::string>&,
                                                        llm::Ledger*)>
      embed{};
  std::string embedder{};  ///< Its name: vectors of another one are not compared.
  std::function<void(const std::string&)> on_notice{};  ///< What a user should hear; may be empty.
};

/// Brings the index up to date: the shelf, the workspace's confirmed kernels, the examples of its
/// graph of techniques.
Result<> keep_knowledge(store::RunStore& store, const Shelf& shelf, Target target);

/// What bears on a task, best first; `arch` of the GPU, empty on cpu. Vectors are kept, so that
/// each text is paid for once. Where they cannot be had, the user is told, and words rank alone.
Result<std::vector<FoundCard>> find_knowledge(store::RunStore& store, const Shelf& shelf,
                                              const task::Definition& task, Target target,
                                              const std::string& arch,
                                              llm::Ledger* ledger = nullptr);

}  // namespace kw::engine
