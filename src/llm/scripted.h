// scripted:FILE is a model that replies from a file; for tests and demonstrations.
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
  std::int64_t position = 0;  ///< Tries, including faults, that an earlier process has used up.
  std::chrono::milliseconds hang{300'000};  ///< How long a hang lasts before it is an error.
  std::optional<Price> price;  ///< The price, for tests of budgets; nothing: replies cost nothing.
};

/// A model that serves the entries in the order of calls; a call beyond the last entry is a Stop
/// error. Where an entry has no usage, tokens are estimated from bytes.
std::unique_ptr<ChatModel> make_scripted_chat(std::vector<ScriptEntry> script,
                                              ScriptedOptions options);

}  // namespace kw::llm
