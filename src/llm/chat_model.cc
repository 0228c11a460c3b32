// Explains why the text of a model's reply cannot be used.
// SPDX-License-Identifier: Apache-2.0
#include "llm/chat_model.h"

#include <fmt/format.h>

#include "base/text.h"

namespace kw::llm {

std::string why_unusable(const ChatReply& reply) {
  const bool is_empty = trim(reply.text).empty();
  switch (reply.stop) {
    case StopReason::Length:
      return fmt::format(
          "the reply was cut off {}after {} tokens; allow more tokens or ask for less",
          is_empty ? "while thinking, " : "", reply.usage.completion_tokens);
    case StopReason::Refusal:
      return is_empty ? "the model refused"
                      : "the model refused: " + sanitise(trim(reply.text), 200);
    case StopReason::ContentFilter:
      return "the provider's content filter stopped the reply";
    case StopReason::Tool:
      if (is_empty) return "the model called a tool, although none was offered, and wrote no text";
      return {};
    case StopReason::End:
      break;
  }
  if (!is_empty) return {};
  return reply.thinking.empty() ? "the reply is empty" : "the reply is empty after its thinking";
}

}  // namespace kw::llm
