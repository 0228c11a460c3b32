// OpenAI-compatible chat completions and embeddings, at any base URL.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "llm/wire.h"

namespace kw::llm {

/// Sends POST {base_url}/chat/completions and reads the reply as a stream. A parameter that the
/// server rejects (temperature, stream_options, reasoning_effort, max_tokens against
/// max_completion_tokens, a max_tokens above the model's own) is left out or changed, remembered
/// for later calls, and reported through on_notice. Servers that do not stream work too. Thinking
/// is read from reasoning_content, reasoning, and a leading <think> block.
std::unique_ptr<ChatModel> make_openai_chat(Endpoint endpoint);

/// Sends POST {base_url}/embeddings, in batches of at most 256 texts.
std::unique_ptr<EmbeddingModel> make_openai_embeddings(Endpoint endpoint);

}  // namespace kw::llm
