// manual:DIR writes prompts to files and reads replies from files, for a person or an external
// tool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "llm/chat_model.h"
#include "platform/clock.h"
#include "platform/files.h"

namespace kw::llm {

struct ManualOptions {
  platform::Path folder;               ///< Created where it is missing.
  platform::Clock* clock = nullptr;    ///< Must outlive the model.
  std::chrono::milliseconds poll{20};  ///< How often the folder is searched for a reply.
  std::optional<std::chrono::milliseconds> timeout;  ///< Nothing: waits until cancelled.
};

/// Writes NNN.prompt.md (001 onwards, each file complete when it appears) and waits for an
/// NNN.reply.md that is not empty and has not grown between two looks. A prompt of the same scope
/// and text that an earlier process wrote keeps its number, and its reply is used. One process at a
/// time may use a folder. Costs nothing and counts no tokens.
Result<std::unique_ptr<ChatModel>> make_manual_chat(ManualOptions options);

}  // namespace kw::llm
