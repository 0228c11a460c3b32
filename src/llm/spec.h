// ModelSpec: a model, its provider and its role, as written after --model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/enums.h"

namespace kw::llm {

enum class Provider { OpenAi, Anthropic, Manual, Scripted };

/// A model: `[role=]provider:name[@base-url]`, such as "openai:gpt-4.1",
/// "judge=anthropic:claude-opus-4-5", "openai:qwen@http://localhost:8000/v1", "manual:DIR",
/// "scripted:FILE".
struct ModelSpec {
  Provider provider = Provider::OpenAi;
  std::string role;      ///< Empty: the model proposes candidates.
  std::string name;      ///< The model's name; for manual the folder, for scripted the file.
  std::string base_url;  ///< Without a final slash; empty for manual and scripted.

  bool is_remote() const;  ///< Whether the model is asked over the network.
  bool has_own_base_url() const;
  /// Whether a file of replies, which `name` names, answers for the model.
  bool is_scripted() const;
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
  Embedding,  ///< Those that have models that give embeddings.
};

/// How the first provider of a group names a model: "openai:NAME" of those offered.
std::string model_form(ProviderGroup group);

/// How --model names a model of each provider of a group, without a role: "openai:NAME",
/// "manual:DIR". In the order of the enumeration; never empty.
std::vector<std::string> model_forms(ProviderGroup group);

}  // namespace kw::llm

template <>
struct kw::EnumNames<kw::llm::Provider> {
  static constexpr std::array<std::string_view, 4> names{"openai", "anthropic", "manual",
                                                         "scripted"};
};
