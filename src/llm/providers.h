// The table of providers: all that the program knows about each, except its protocol.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "llm/chat_model.h"
#include "llm/spec.h"
#include "llm/wire.h"

namespace kw::llm {

struct ModelSurroundings;

/// Who answers the requests to a provider's models.
enum class Answers {
  Server,
  Person,  ///< A person, through files of a folder, who is never asked for a trial.
  Script,  ///< A file of replies, in their order: who goes on must know how many were used.
};

struct ProviderInfo {
  std::string_view name;  ///< The name in --model, such as "openai".
  Answers answers;
  std::string_view operand;   ///< What follows the provider's name in --model: NAME, DIR or FILE.
  const char* key_name;       ///< Environment variable of the key; empty: the provider needs none.
  std::string_view base_url;  ///< The provider's own address; empty: the provider is no server.
  Result<std::unique_ptr<ChatModel>> (*open)(const ModelSpec&, const ModelSurroundings&);
  /// Null: the provider has no embeddings, or no protocol for them is known.
  Result<std::unique_ptr<EmbeddingModel>> (*open_embeddings)(const ModelSpec&,
                                                             const ModelSurroundings&) = nullptr;
  /// For the message about a spec without an operand: what the operand is, what it is for, and an
  /// example; empty: the form of the spec says enough.
  std::string_view operand_thing{};
  std::string_view operand_purpose{};
  std::string_view operand_example{};
  /// Whether the first screen of a command's help names the provider; that of scripted replies is
  /// for tests and demonstrations.
  bool is_offered = true;
  /// OpenAI's protocol: whether the provider's own server wants the bound of a reply in
  /// max_completion_tokens; else it gets max_tokens, which most servers know.
  bool says_completion_tokens = false;
};

/// All providers. A new one is one more row of this table.
std::span<const ProviderInfo> providers();
const ProviderInfo& info_of(Provider provider);
/// The provider with this name; nothing if there is none.
std::optional<Provider> provider_named(std::string_view name);
/// The first provider of whose models these answer.
Provider provider_of(Answers answers);
/// How --model names a model of the provider, without a role: "openai:NAME".
std::string form_of(const ProviderInfo& info);

/// The embedding model of a spec without decorators. Errors: the provider has no embeddings; a
/// vendor's own address without a key.
Result<std::unique_ptr<EmbeddingModel>> open_plain_embeddings(const ModelSpec& spec,
                                                              const ModelSurroundings& around);

/// The server of a model. Errors: a vendor's own address without a key.
Result<Endpoint> endpoint_of(const ModelSpec& spec, const ModelSurroundings& around);

}  // namespace kw::llm
