// From a refusal to the next request.
// SPDX-License-Identifier: Apache-2.0
#include "llm/quirks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string_view>

namespace kw::llm {
namespace {

/// The number right after `lead` in the text.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view lead) {
  const std::size_t at = text.find(lead);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t value = 0;
  const char* begin = text.data() + at + lead.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

/// The model's own bound where a refusal states it: OpenAI's "supports at most 16384 completion
/// tokens", Anthropic's "max_tokens: 200000 > 64000, which is the maximum".
std::optional<std::int64_t> stated_bound(const ServerError& error, std::int64_t asked) {
  auto bound = number_after(error.message, "at most ");
  if (!bound && error.names("which is the maximum")) bound = number_after(error.message, " > ");
  if (bound && *bound > 0 && *bound < asked) return bound;
  return std::nullopt;
}

bool is_unwelcome(const ServerError& error) {
  if (error.code.starts_with("unsupported") || error.code.starts_with("unknown")) return true;
  const std::initializer_list<std::string_view> words = {
      "not supported", "unsupported", "unrecognized", "not permitted", "unknown",
      "unexpected",    "deprecated",  "not allowed",  "use '"};
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return error.names(word); });
}

}  // namespace

std::optional<std::string> adapt(const ServerError& error, const ChatRequest& request,
                                 Quirks& quirks) {
  if (error.status != 400 && error.status != 422) return std::nullopt;
  const std::int64_t asked =
      std::min(request.max_tokens, quirks.max_tokens.value_or(request.max_tokens));
  if (error.names("max_tokens") || error.names("max_completion_tokens")) {
    if (const auto bound = stated_bound(error, asked)) {
      quirks.max_tokens = bound;
      return fmt::format("this model writes at most {} tokens; asking for that instead of {}",
                         *bound, asked);
    }
    if (quirks.may_swap_token_name && is_unwelcome(error)) {
      quirks.may_swap_token_name = false;
      quirks.says_completion_tokens = !quirks.says_completion_tokens;
      return fmt::format("this server wants {}",
                         quirks.says_completion_tokens ? "max_completion_tokens" : "max_tokens");
    }
  }
  if (quirks.takes_stream_options && error.names("stream_options")) {
    quirks.takes_stream_options = false;
    return "this server rejects stream_options: tokens may have to be estimated";
  }
  if (request.temperature && quirks.takes_temperature && error.names("temperature")) {
    quirks.takes_temperature = false;
    return "this model rejects a temperature: its default is used";
  }
  if (request.effort.empty()) return std::nullopt;
  if (quirks.takes_effort && error.names("reasoning_effort")) {
    quirks.takes_effort = false;
    return "this model takes no reasoning effort: its default is used";
  }
  const bool is_about_thinking = error.names("thinking") || error.names("effort") ||
                                 error.names("output_config") || error.names("adaptive");
  if (quirks.thinking != ThinkingForm::None && is_about_thinking) {
    const bool was_adaptive = quirks.thinking == ThinkingForm::Adaptive;
    quirks.thinking = was_adaptive ? ThinkingForm::Budget : ThinkingForm::None;
    return was_adaptive ? "this model wants a token budget for thinking instead of an effort"
                        : "this model takes no thinking parameter: its default is used";
  }
  return std::nullopt;
}

}  // namespace kw::llm
