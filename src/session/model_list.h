// Which models can be asked, what they cost, and which keys are set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "llm/check.h"
#include "llm/spec.h"
#include "session/options.h"

namespace kw::session {

using llm::ModelCheck;
using llm::Trouble;

/// The role of an embedding model, which ranks knowledge and writes nothing.
inline constexpr const char* kEmbedRole = "embed";

/// Models and the place where they were named, such as a flag.
struct NamedModels {
  std::string from;
  std::vector<llm::ModelSpec> specs;
};

/// A named model, and whether it can be called.
struct ModelState {
  llm::ModelSpec spec;
  std::string from;  ///< Where the model was named.
  std::optional<Price> price;
  std::string trouble;  ///< Why the model cannot be asked; empty: it can.
  std::vector<std::string> warnings;
  std::optional<ModelCheck> check;  ///< Nothing: the model was not asked.
};

struct ModelList {
  /// The environment variables for the API keys of models, and whether each is set.
  std::vector<std::pair<std::string, bool>> keys;
  std::vector<ModelState> models;
  std::vector<Price> prices;  ///< All that are known.
};

/// Embedding models by name. Error: a name is no model.
Result<std::vector<llm::ModelSpec>> embedding_models(const std::vector<std::string>& names,
                                                     const std::string& base_url);

/// Asks no model. Error: the prices or the keys cannot be read.
Result<ModelList> list_models(const Options& options, const std::vector<NamedModels>& named);

/// Asks each model of the list for one token and notes the result; waits up to two minutes for
/// each. `before` and `after` hear of each model.
Result<> check_models(const Options& options, ModelList& list,
                      const std::function<void(const ModelState&)>& before,
                      const std::function<void(const ModelState&)>& after);

}  // namespace kw::session
