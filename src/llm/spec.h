// ModelSpec: a model, its provider and its role, as written after --model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kw::llm {

/// A provider of models: the place of its row in the table of providers.cc, which alone names it.
/// The default is the first row.
enum class Provider : std::size_t {};

/// A model: `[role=]provider:name[@base-url]`, such as "openai:gpt-4.1",
/// "judge=anthropic:claude-opus-4-5", "openai:qwen@http://localhost:8000/v1", "manual:DIR",
/// "scripted:FILE".
struct ModelSpec {
  Provider provider{};
  std::string role;      ///< Empty: the model proposes candidates.
  std::string name;      ///< The model's name; for manual the folder, for scripted the file.
  std::string base_url;  ///< Without a final slash; empty for manual and scripted.

  bool is_remote() const;    ///< Whether the model is asked over the network.
  bool is_scripted() const;  ///< Whether a file of replies, which `name` names, answers.
  /// Whether the address is the provider's own.
  bool has_own_base_url() const;
  /// The spec as text: "openai:gpt-4.1", with "@base-url" (without password) where that is not the
  /// provider's own.
  std::string text() const;
};

/// The known forms of a spec: "openai:NAME, anthropic:NAME or manual:DIR".
std::string known_model_forms();

/// Parses a spec. An error is about the part of the spec that is wrong. `default_base_url` (from
/// --base-url) is for remote specs that name no address; empty: the provider's own address.
Result<ModelSpec> parse_model_spec(std::string_view text, std::string_view default_base_url = {});

/// Some of the providers, for texts that list them.
enum class ProviderGroup {
  All,
  Offered,    ///< Those that the first screen of a command's help names.
  Keyless,    ///< Those that need no key.
  Embedding,  ///< Those whose models can give embeddings.
};

/// How --model names a model of each provider of a group, without a role: "openai:NAME",
/// "manual:DIR". In the order of the table; never empty.
std::vector<std::string> model_forms(ProviderGroup group);

}  // namespace kw::llm
