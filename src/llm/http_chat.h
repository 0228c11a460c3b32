// HttpChat: a chat model behind a server; a dialect says how it is spoken to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "llm/quirks.h"
#include "llm/reply_parts.h"
#include "llm/wire.h"

namespace kw::llm {

/// What differs between providers that stream over HTTP.
struct Dialect {
  std::string path;  ///< Below the base URL.
  std::vector<net::Header> headers;
  Quirks quirks;  ///< What is assumed before the server has refused anything.
  Json (*body)(const Endpoint&, const ChatRequest&, const Quirks&);
  std::unique_ptr<ReplyReader> (*reader)(ReplyParts&);
};

/// Sends, reads, and asks again without the parameter that the server turned down.
std::unique_ptr<ChatModel> make_http_chat(Endpoint endpoint, Dialect dialect);

}  // namespace kw::llm
