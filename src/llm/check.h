// check_model: asks a model one small question to find out whether key, name and address are right.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "llm/open_model.h"

namespace kw::llm {

struct ModelCheck {
  /// Whether a request was sent; false for models whose replies come from a person or a file.
  bool is_asked = false;
  bool is_good = false;            ///< The model answered, or nothing stands against asking it.
  std::optional<Trouble> trouble;  ///< The trouble, where the model did not answer.
  std::string words;               ///< The model's name as its server gives it, or what went wrong.
  Usage usage;
  std::optional<double> cost_usd;  ///< Nothing: the price is unknown.
  double took_ns = 0;
};

/// Asks for a reply of one token, or of 16 tokens where a server accepts no smaller bound; with the
/// prompt this costs about ten tokens. Does not retry. A reply that is cut off counts as an answer.
/// A script is parsed but not used up, and a person is not asked. Takes at most the timeouts of
/// `around`.
ModelCheck check_model(const ModelSpec& spec, const ModelSurroundings& around,
                       std::stop_token cancel = {});
/// Checks an embedding model by asking for the vector of one word.
ModelCheck check_embedder(const ModelSpec& spec, const ModelSurroundings& around,
                          std::stop_token cancel = {});

}  // namespace kw::llm
