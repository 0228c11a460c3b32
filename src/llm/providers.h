// The table of providers: all that the program knows of each beside how it talks.
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
  std::string_view operand;   ///< What follows its name in --model: NAME, DIR or FILE.
  const char* key_name;       ///< Environment variable of its key; empty: it wants none.
  std::string_view base_url;  ///< Its own; empty: it is no server.
  Result<std::unique_ptr<ChatModel>> (*open)(const ModelSpec&, const Surroundings&);
};

/// In the order of the enumeration.
std::span<const ProviderInfo> providers();
const ProviderInfo& info_of(Provider provider);

/// How a server is reached. Errors: a vendor's own address without its key.
Result<Endpoint> endpoint_of(const ModelSpec& spec, const Surroundings& around);

}  // namespace kw::llm
