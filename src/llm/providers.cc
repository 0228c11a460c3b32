// The table of providers, and the functions that open their models.
// SPDX-License-Identifier: Apache-2.0
#include "llm/providers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "llm/anthropic.h"
#include "llm/manual.h"
#include "llm/open_model.h"
#include "llm/openai.h"
#include "llm/script.h"
#include "llm/scripted.h"
#include "platform/files.h"
#include "platform/read_text.h"

namespace kw::llm {
namespace {

constexpr std::size_t kScriptCap = std::size_t{16} << 20;

using Opened = Result<std::unique_ptr<ChatModel>>;

Opened open_openai(const ModelSpec& spec, const ModelSurroundings& around) {
  return make_openai_chat(KW_TRY(endpoint_of(spec, around)));
}

Opened open_anthropic(const ModelSpec& spec, const ModelSurroundings& around) {
  return make_anthropic_chat(KW_TRY(endpoint_of(spec, around)));
}

Opened open_manual(const ModelSpec& spec, const ModelSurroundings& around) {
  ManualOptions options;
  options.folder = spec.name;
  options.clock = around.clock;
  return make_manual_chat(std::move(options));
}

Opened open_scripted(const ModelSpec& spec, const ModelSurroundings& around) {
  auto script = KW_TRY(parse_script(KW_TRY(platform::read_text(spec.name, kScriptCap)), spec.name));
  ScriptedOptions options;
  options.name = spec.text();
  options.clock = around.clock;
  options.position = around.script_position;
  options.hang = around.timeouts.first_byte;
  return make_scripted_chat(std::move(script), std::move(options));
}

Result<std::unique_ptr<EmbeddingModel>> embed_openai(const ModelSpec& spec,
                                                     const ModelSurroundings& around) {
  return make_openai_embeddings(KW_TRY(endpoint_of(spec, around)));
}

constexpr auto kProviders = std::to_array<ProviderInfo>({
    {.name = "openai",
     .answers = Answers::Server,
     .operand = "NAME",
     .key_name = "OPENAI_API_KEY",
     .base_url = "https://api.openai.com/v1",
     .open = open_openai,
     .open_embeddings = embed_openai,
     .says_completion_tokens = true},
    {.name = "anthropic",
     .answers = Answers::Server,
     .operand = "NAME",
     .key_name = "ANTHROPIC_API_KEY",
     .base_url = "https://api.anthropic.com",
     .open = open_anthropic},
    {.name = "manual",
     .answers = Answers::Person,
     .operand = "DIR",
     .key_name = "",
     .base_url = "",
     .open = open_manual,
     .operand_thing = "folder",
     .operand_purpose = "where prompts go and replies are put",
     .operand_example = "./chat"},
    {.name = "scripted",
     .answers = Answers::Script,
     .operand = "FILE",
     .key_name = "",
     .base_url = "",
     .open = open_scripted,
     .is_offered = false},
});

}  // namespace

std::span<const ProviderInfo> providers() { return kProviders; }

const ProviderInfo& info_of(Provider provider) {
  const auto row = static_cast<std::size_t>(provider);
  KW_ASSERT(row < kProviders.size());
  return kProviders[row];
}

std::optional<Provider> provider_named(std::string_view name) {
  for (std::size_t row = 0; row < kProviders.size(); ++row)
    if (kProviders[row].name == name) return Provider{row};
  return std::nullopt;
}

Provider provider_of(Answers answers) {
  const auto found = std::ranges::find(kProviders, answers, &ProviderInfo::answers);
  KW_ASSERT(found != kProviders.end());
  return Provider{static_cast<std::size_t>(found - kProviders.begin())};
}

std::string form_of(const ProviderInfo& info) {
  return std::string(info.name) + ":" + std::string(info.operand);
}

Result<std::unique_ptr<EmbeddingModel>> open_plain_embeddings(const ModelSpec& spec,
                                                              const ModelSurroundings& around) {
  const auto open = info_of(spec.provider).open_embeddings;
  if (open == nullptr)
    return fail(ErrorCode::Unsupported, About{"embeddings"},
                "only " + join(model_forms(ProviderGroup::Embedding), " and ") +
                    " models, at any base URL, can give embeddings",
                spec.text());
  return open(spec, around);
}

Result<Endpoint> endpoint_of(const ModelSpec& spec, const ModelSurroundings& around) {
  KW_ASSERT(around.http != nullptr && around.clock != nullptr);
  Endpoint endpoint;
  endpoint.http = around.http;
  endpoint.clock = around.clock;
  endpoint.spec = spec;
  endpoint.key = around.keys.of(spec.provider);
  endpoint.redactor = around.keys.redactor();
  endpoint.timeouts = around.timeouts;
  endpoint.price = around.prices.find(spec);
  // A server at a user's own address may need no key; a vendor's own server always needs one.
  if (!endpoint.key.is_set() && spec.has_own_base_url())
    return fail(ErrorCode::BadKey, About{info_of(spec.provider).key_name},
                std::string("the model's provider needs an API key: set ") +
                    info_of(spec.provider).key_name,
                spec.text(), Advice::Stop);
  return endpoint;
}

}  // namespace kw::llm
