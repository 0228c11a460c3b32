// Quirks: parameters that a server rejects, learnt from its refusals.
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

/// The forms in which a server accepts a request for thinking.
enum class ThinkingForm { Adaptive, Budget, None };

struct Quirks {
  bool takes_temperature = true;
  bool takes_stream_options = true;
  bool takes_system = true;  ///< Whether messages of role system are accepted.
  bool takes_effort = true;  ///< Whether OpenAI's reasoning_effort is accepted.
  /// Whether the bound on the reply is called max_completion_tokens instead of max_tokens.
  bool says_completion_tokens = false;
  /// Whether max_tokens and max_completion_tokens may still be swapped, which is done only once.
  bool may_swap_token_name = true;
  ThinkingForm thinking = ThinkingForm::Adaptive;  ///< The form of Anthropic's thinking.
  std::optional<std::int64_t> max_tokens;          ///< The most tokens that the model writes.
  std::optional<std::int64_t> context;  ///< The most tokens of prompt and reply together.
  /// Tokens per byte of the prompt that was refused as too long for `context`.
  double tokens_per_byte = 0;
  bool operator==(const Quirks&) const = default;
};

/// Changes `quirks` so that the refused request may be accepted, and returns a message for the
/// user; nothing where the refusal has another reason. Each change is made only once, so that
/// asking again ends.
std::optional<std::string> adapt(const ServerError& error, const ChatRequest& request,
                                 Quirks& quirks);

/// The bound on the reply to ask for: the least of the request's max_tokens, the model's own bound,
/// and what the prompt leaves of the context.
std::int64_t reply_bound(const ChatRequest& request, const Quirks& quirks);

/// The messages in a form that the server accepts: if it accepts no system message, the system text
/// is put at the beginning of the first user message.
std::vector<ChatMessage> messages_for(const ChatRequest& request, const Quirks& quirks);

/// The quirks that one model remembers between its calls; safe to use from several threads.
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
