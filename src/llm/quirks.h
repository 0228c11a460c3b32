// Quirks: which parameters a server has turned down, learnt from its refusals.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "llm/wire.h"
#include "record/exchange.h"

namespace kw::llm {

/// How much thinking is asked for, in the form that the server takes.
enum class ThinkingForm { Adaptive, Budget, None };

struct Quirks {
  bool takes_temperature = true;
  bool takes_stream_options = true;
  bool takes_system = true;                        ///< A message of role system.
  bool takes_effort = true;                        ///< OpenAI's reasoning_effort.
  bool says_completion_tokens = false;             ///< max_completion_tokens, not max_tokens.
  bool may_swap_token_name = true;                 ///< Not swapped yet: never back and forth.
  ThinkingForm thinking = ThinkingForm::Adaptive;  ///< Anthropic's thinking.
  std::optional<std::int64_t> max_tokens;          ///< The most that the model writes.
  std::optional<std::int64_t> context;  ///< The most tokens of prompt and reply together.
  double tokens_per_byte = 0;           ///< Of the prompt that `context` refused.
  bool operator==(const Quirks&) const = default;
};

/// Changes `quirks` so that the request that was refused may pass, and returns what the user should
/// hear; nothing where the refusal is about something else. Each change is made once, so that
/// asking again ends.
std::optional<std::string> adapt(const ServerError& error, const ChatRequest& request,
                                 Quirks& quirks);

/// What may be asked of the reply: the request's max_tokens, the model's own bound, and what the
/// prompt leaves of the context.
std::int64_t reply_bound(const ChatRequest& request, const Quirks& quirks);

/// The messages as the server takes them: where it wants no system message, its text stands before
/// that of the first user message.
std::vector<ChatMessage> messages_for(const ChatRequest& request, const Quirks& quirks);

/// What one model remembers between its calls, from whatever thread.
class SharedQuirks {
 public:
  explicit SharedQuirks(Quirks first) : quirks_(first) {}
  Quirks get() const {
    const std::lock_guard lock(mutex_);
    return quirks_;
  }
  void set(const Quirks& quirks) {
    const std::lock_guard lock(mutex_);
    quirks_ = quirks;
  }

 private:
  mutable std::mutex mutex_;
  Quirks quirks_;
};

}  // namespace kw::llm
