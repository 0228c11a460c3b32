// HttpChat: a chat model behind a server; a dialect describes the server's protocol.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "llm/quirks.h"
#include "llm/reply_parts.h"
#include "llm/wire.h"

namespace kw::llm {

/// The differences between the protocols of providers that stream over HTTP.
struct Dialect {
  std::string path;  ///< The path below the base URL.
  std::vector<net::Header> headers;
  Quirks quirks;  ///< Assumptions before the server has refused anything.
  Json (*body)(const Endpoint&, const ChatRequest&, const Quirks&);
  std::unique_ptr<ReplyReader> (*reader)(ReplyParts&);
};

/// A chat model that sends requests and reads replies. If the server rejects a parameter, it asks
/// again without the parameter.
std::unique_ptr<ChatModel> make_http_chat(Endpoint endpoint, Dialect dialect);

}  // namespace kw::llm
