// check_model: one small question to a model, which shows whether key, name and address are right.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "llm/open_model.h"

namespace kw::llm {

struct ModelCheck {
  bool is_asked = false;           ///< False: a person or a file answers, and nothing was sent.
  bool is_good = false;            ///< It answered, or would be asked without trouble.
  std::optional<Trouble> trouble;  ///< Where it did not answer.
  std::string words;               ///< What it is called by its server, or what went wrong.
  Usage usage;
  std::optional<double> cost_usd;  ///< None: price unknown.
  double took_ns = 0;
};

/// Asks for a reply of one token (of 16 where a server takes no smaller bound), which with its
/// prompt costs some ten tokens. Trouble is not waited out. A reply that is cut off is an answer. A
/// script is read and not used up; a person is not asked. Takes at most the timeouts of `around`.
ModelCheck check_model(const ModelSpec& spec, const Surroundings& around,
                       std::stop_token cancel = {});
/// The same of an embedding model: the vector of one word.
ModelCheck check_embedder(const ModelSpec& spec, const Surroundings& around,
                          std::stop_token cancel = {});

}  // namespace kw::llm
