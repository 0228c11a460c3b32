// manual:DIR – prompts go out as files, replies come back as files: for a person or an outside
// tool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "llm/chat_model.h"
#include "platform/clock.h"
#include "platform/files.h"

namespace kw::llm {

struct ManualOptions {
  platform::Path folder;                             ///< Created where missing.
  platform::Clock* clock = nullptr;                  ///< Must outlive the model.
  std::chrono::milliseconds poll{20};                ///< Between looks for a reply.
  std::optional<std::chrono::milliseconds> timeout;  ///< None: waits until cancelled.
};

/// Writes NNN.prompt.md (001 onwards, each file complete when it appears) and waits for a
/// NNN.reply.md that is not empty and did not grow between two looks. A prompt that an earlier
/// process wrote, with the same scope and text, is taken up again under its number, and so is its
/// reply. One process at a time per folder. Costs nothing and counts no tokens.
Result<std::unique_ptr<ChatModel>> make_manual_chat(ManualOptions options);

}  // namespace kw::llm
