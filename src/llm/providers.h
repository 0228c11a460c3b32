// The table of providers: all that the program knows about each, except its protocol.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "llm/chat_model.h"
#include "llm/spec.h"
#include "llm/wire.h"

namespace kw::llm {

struct ModelSurroundings;

/// Who answers for the models of a provider.
enum class Answerer {
  Server,
  Person,  ///< A person, through files of a folder, who is never asked for a trial.
  Script,  ///< A file of replies, in their order: who goes on must know how many were used.
};

struct ProviderInfo {
  Provider provider;
  std::string_view operand;   ///< What follows the provider's name in --model: NAME, DIR or FILE.
  const char* key_name;       ///< Environment variable of the key; empty: the provider needs none.
  std::string_view base_url;  ///< The provider's own address; empty: the provider is no server.
  Result<std::unique_ptr<ChatModel>> (*open)(const ModelSpec&, const ModelSurroundings&);
  /// Opens a model that gives embeddings; null: the provider has none.
  std::unique_ptr<EmbeddingModel> (*embed)(Endpoint) = nullptr;
  Answerer answerer = Answerer::Server;
  /// For the message about a spec without an operand: what the operand is, what it is for, and an
  /// example; empty: the form of the spec says enough.
  std::string_view operand_thing{};
  std::string_view operand_purpose{};
  std::string_view operand_example{};
  /// Whether the first screen of a command's help names the provider; that of scripted replies is
  /// for tests and demonstrations.
  bool is_offered = true;
};

/// All providers, in the order of the enumeration.
std::span<const ProviderInfo> providers();
const ProviderInfo& info_of(Provider provider);
/// How --model names a model of the provider, without a role: "openai:NAME".
std::string form_of(const ProviderInfo& info);

/// The error for a model of a provider that has no embeddings.
Error no_embeddings(const ModelSpec& spec);

/// The server of a model. Errors: a vendor's own address without a key.
Result<Endpoint> endpoint_of(const ModelSpec& spec, const ModelSurroundings& around);

}  // namespace kw::llm
