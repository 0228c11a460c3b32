// A chat model that speaks Anthropic's messages protocol.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "llm/wire.h"

namespace kw::llm {

/// Sends POST {base_url}/v1/messages and reads the reply as a stream. System messages are a
/// separate field and are marked for the server's prompt cache, because every attempt of a run
/// repeats them. Parameters that a model rejects are treated as in make_openai_chat().
std::unique_ptr<ChatModel> make_anthropic_chat(Endpoint endpoint);

}  // namespace kw::llm
