// scripted:FILE – a model that says what a file tells it to; for tests and demonstrations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "llm/chat_model.h"
#include "llm/script.h"
#include "platform/clock.h"

namespace kw::llm {

struct ScriptedOptions {
  std::string name;                  ///< "scripted:FILE"
  platform::Clock* clock = nullptr;  ///< Must outlive the model.
  std::int64_t position = 0;  ///< Tries that an earlier process has used up, faults included.
  std::chrono::milliseconds hang{300'000};  ///< How long a hang lasts before it is an error.
  std::optional<Price> price;               ///< For tests of budgets; none: costs nothing.
};

/// Serves the entries in the order of the calls; one call beyond the last is a Stop error. Where an
/// entry gives no usage, tokens are estimated from bytes.
std::unique_ptr<ChatModel> make_scripted_chat(std::vector<ScriptEntry> script,
                                              ScriptedOptions options);

}  // namespace kw::llm
