// The table of providers: all that the program knows about each, except its protocol.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "llm/chat_model.h"
#include "llm/spec.h"
#include "llm/wire.h"

namespace kw::llm {

struct Surroundings;

struct ProviderInfo {
  Provider provider;
  std::string_view operand;   ///< What follows the provider's name in --model: NAME, DIR or FILE.
  const char* key_name;       ///< Environment variable of the key; empty: the provider needs none.
  std::string_view base_url;  ///< The provider's own address; empty: the provider is no server.
  Result<std::unique_ptr<ChatModel>> (*open)(const ModelSpec&, const Surroundings&);
};

/// All providers, in the order of the enumeration.
std::span<const ProviderInfo> providers();
const ProviderInfo& info_of(Provider provider);

/// The server of a model. Errors: a vendor's own address without a key.
Result<Endpoint> endpoint_of(const ModelSpec& spec, const Surroundings& around);

}  // namespace kw::llm
