// Describes in words what models cost.
// SPDX-License-Identifier: Apache-2.0
#include "record/exchange.h"

#include <fmt/format.h>

#include <algorithm>

namespace kw {

ReplySettings ReplySettings::for_words() const {
  constexpr std::int64_t kShare = 4;
  ReplySettings words = *this;
  words.max_tokens = std::max(std::min(kWordsTokens, max_tokens), max_tokens / kShare);
  return words;
}

void ChatRequest::set(const ReplySettings& settings) {
  static_cast<ReplySettings&>(*this) = settings;
}

std::string dollars_text(const Spending& spent) {
  if (spent.calls > 0 && spent.calls == spent.unpriced) return "unknown";
  return fmt::format("{}${:.4f}", spent.unpriced > 0 ? ">" : "", spent.usd);
}

}  // namespace kw
