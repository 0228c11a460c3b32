// Anthropic's messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "llm/wire.h"

namespace kw::llm {

/// POST {base_url}/v1/messages, streamed. System messages travel apart and are marked for the
/// server's prompt cache, since every attempt of a run repeats them. Parameters that a model
/// rejects are treated as in make_openai_chat().
std::unique_ptr<ChatModel> make_anthropic_chat(Endpoint endpoint);

}  // namespace kw::llm
