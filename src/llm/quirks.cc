// Changes the next request according to a server's refusal.
// SPDX-License-Identifier: Apache-2.0
#include "llm/quirks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "llm/estimate.h"

namespace kw::llm {
namespace {

/// The number directly after `lead` in the text.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view lead) {
  const std::size_t at = text.find(lead);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t value = 0;
  const char* begin = text.data() + at + lead.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

/// The model's own bound on a reply where a refusal states it: OpenAI's "supports at most 16384
/// completion tokens", Anthropic's "max_tokens: 200000 > 64000, which is the maximum".
std::optional<std::int64_t> stated_bound(const ServerError& error, std::int64_t asked) {
  auto bound = number_after(error.message, "at most ");
  if (!bound && error.names("which is the maximum")) bound = number_after(error.message, " > ");
  if (bound && *bound > 0 && *bound < asked) return bound;
  return std::nullopt;
}

/// The number directly before `trail` in the text.
std::optional<std::int64_t> number_before(std::string_view text, std::string_view trail) {
  for (std::size_t end = text.find(trail); end != std::string_view::npos;
       end = text.find(trail, end + 1)) {
    std::size_t begin = end;
    while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
    if (const auto number = number_after(text.substr(begin, end - begin), "")) return number;
  }
  return std::nullopt;
}

template <auto number>
std::optional<std::int64_t> first_of(std::string_view text,
                                     std::initializer_list<std::string_view> places) {
  for (const std::string_view place : places)
    if (const auto found = number(text, place)) return found;
  return std::nullopt;
}

/// The numbers in a refusal of a prompt that leaves too little of the context for the reply.
struct StatedContext {
  std::int64_t context = 0;  ///< The most tokens of prompt and reply together.
  std::int64_t prompt = 0;
};

/// Recognises the wording of vLLM, OpenAI, OpenRouter, SGLang, TGI and Anthropic. Nothing where the
/// prompt alone is too long: those messages name no tokens of a reply.
std::optional<StatedContext> stated_context(std::string_view text) {
  auto context = first_of<number_after>(
      text, {"context length is ", "context length of ", "context window of ", "must be <= "});
  auto prompt =
      first_of<number_before>(text, {" in the messages", " input tokens", " of text input",
                                     " tokens from the input", " `inputs` tokens"});
  constexpr std::string_view kSum =
      "exceed context limit: ";  // followed by PROMPT + REPLY > CONTEXT
  if (const std::size_t sum = text.find(kSum); sum != std::string_view::npos) {
    prompt = number_after(text, kSum);
    context = number_after(text.substr(sum), " > ");
  }
  if (!context || !prompt || *prompt < 0 || *context <= *prompt) return std::nullopt;
  return StatedContext{*context, *prompt};
}

/// The fewest tokens that hold a kernel with its plan.
constexpr std::int64_t kLeastReply = 1024;
/// Tokens kept free besides prompt and reply: a fiftieth of the prompt, and 32. Prompts of equal
/// length may differ in their number of tokens.
constexpr std::int64_t kMarginShare = 50;
constexpr std::int64_t kMarginTokens = 32;

/// The tokens for a reply that a prompt of about `prompt` tokens leaves in a context of `context`
/// tokens.
std::int64_t room_behind(std::int64_t prompt, std::int64_t context) {
  return context - prompt - prompt / kMarginShare - kMarginTokens;
}

/// Lowers the reply's bound to what the stated context leaves. If the server refuses the same
/// prompt again, the bound falls by at least a tenth, so that the repetition ends; if the server
/// gives only a lower limit of the prompt's tokens, the bound falls by half.
std::optional<std::string> fit_context(const ServerError& error, const ChatRequest& request,
                                       std::int64_t asked, Quirks& quirks) {
  const auto stated = stated_context(error.message);
  if (!stated) return std::nullopt;
  std::int64_t room = room_behind(stated->prompt, stated->context);
  if (error.names("at least")) room = std::min(room, asked / 2);
  if (quirks.context) room = std::min(room, asked - asked / 10);
  if (room < kLeastReply || room >= asked) return std::nullopt;
  quirks.context = stated->context;
  const auto taken = static_cast<double>(stated->context - room - kMarginTokens);
  quirks.tokens_per_byte = taken / (1 + 1.0 / kMarginShare) /
                           static_cast<double>(std::max<std::size_t>(1, bytes_of(request)));
  return fmt::format(
      "prompt and reply share a context of {} tokens: asking for a reply of {} instead of {}",
      stated->context, reply_bound(request, quirks), asked);
}

bool is_unwelcome(const ServerError& error) {
  if (error.code.starts_with("unsupported") || error.code.starts_with("unknown")) return true;
  const std::initializer_list<std::string_view> words = {
      "not supported", "unsupported", "unrecognized", "not permitted", "unknown",
      "unexpected",    "deprecated",  "not allowed",  "use '"};
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return error.names(word); });
}

bool has_system(const ChatRequest& request) {
  return std::ranges::any_of(request.messages,
                             [](const ChatMessage& m) { return m.role == ChatRole::System; });
}

/// Whether the server rejects system messages, by the errors of chat templates (Gemma's and
/// Mistral's; llama.cpp reports them as 500) and of OpenAI's older reasoning models.
bool rejects_system(const ServerError& error, const ChatRequest& request) {
  if (error.status != 400 && error.status != 422 && error.status != 500) return false;
  if (!has_system(request)) return false;
  return error.names("system role not supported") || error.names("roles must alternate") ||
         error.names("does not support 'system'") ||
         (error.status != 500 && is_unwelcome(error) &&
          (error.names("system role") || error.names("system message")));
}

}  // namespace

std::vector<ChatMessage> messages_for(const ChatRequest& request, const Quirks& quirks) {
  if (quirks.takes_system) return request.messages;
  std::string system;
  std::vector<ChatMessage> messages;
  for (const ChatMessage& message : request.messages) {
    if (message.role == ChatRole::System)
      system += message.text + "\n\n";
    else
      messages.push_back(message);
  }
  const auto user = std::ranges::find(messages, ChatRole::User, &ChatMessage::role);
  if (user == messages.end())
    messages.insert(messages.begin(), {ChatRole::User, system});
  else
    user->text.insert(0, system);
  return messages;
}

std::int64_t reply_bound(const ChatRequest& request, const Quirks& quirks) {
  const std::int64_t most =
      std::min(request.max_tokens, quirks.max_tokens.value_or(request.max_tokens));
  if (!quirks.context) return most;
  const double prompt = quirks.tokens_per_byte * static_cast<double>(bytes_of(request));
  const std::int64_t room = room_behind(std::llround(std::ceil(prompt)), *quirks.context);
  return std::min(most, std::max(kLeastReply, room));
}

std::optional<std::string> adapt(const ServerError& error, const ChatRequest& request,
                                 Quirks& quirks) {
  if (quirks.takes_system && rejects_system(error, request)) {
    quirks.takes_system = false;
    return "this model takes no system message: its text goes before the first user message";
  }
  if (error.status != 400 && error.status != 422) return std::nullopt;
  const std::int64_t asked = reply_bound(request, quirks);
  if (auto notice = fit_context(error, request, asked, quirks)) return notice;
  if (error.names("max_tokens") || error.names("max_completion_tokens")) {
    if (const auto bound = stated_bound(error, asked)) {
      quirks.max_tokens = bound;
      return fmt::format("this model writes at most {} tokens; asking for that instead of {}",
                         *bound, asked);
    }
    if (quirks.may_swap_token_name && is_unwelcome(error)) {
      quirks.may_swap_token_name = false;
      quirks.says_completion_tokens = !quirks.says_completion_tokens;
      return fmt::format("this server takes the bound on a reply as {}",
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
