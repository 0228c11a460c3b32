// Chat completions as OpenAI defined them, with the variations of other servers.
// SPDX-License-Identifier: Apache-2.0
#include "llm/openai.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "llm/http_chat.h"
#include "llm/providers.h"

namespace kw::llm {
namespace {

std::vector<net::Header> openai_headers(const Endpoint& endpoint) {
  if (!endpoint.key.is_set()) return {};
  return {{"Authorization", "Bearer " + endpoint.key.reveal()}};
}

Json openai_body(const Endpoint& endpoint, const ChatRequest& request, const Quirks& quirks) {
  Json body;
  body["model"] = endpoint.spec.name;
  Json& messages = body["messages"] = Json::array();
  for (const ChatMessage& message : messages_for(request, quirks))
    messages.push_back({{"role", name_of(message.role)}, {"content", message.text}});
  body["stream"] = true;
  if (quirks.takes_stream_options) body["stream_options"] = {{"include_usage", true}};
  body[quirks.says_completion_tokens ? "max_completion_tokens" : "max_tokens"] =
      reply_bound(request, quirks);
  if (request.temperature && quirks.takes_temperature) body["temperature"] = *request.temperature;
  if (!request.effort.empty() && quirks.takes_effort) body["reasoning_effort"] = request.effort;
  return body;
}

Usage openai_usage(const Json& json) {
  Usage usage;
  usage.prompt_tokens = count_at(json, "prompt_tokens");
  usage.completion_tokens = count_at(json, "completion_tokens");
  usage.cached_tokens = std::min(
      usage.prompt_tokens, count_at(object_at(json, "prompt_tokens_details"), "cached_tokens"));
  return usage;
}

StopReason openai_stop(const std::string& reason) {
  if (reason == "length" || reason == "max_tokens") return StopReason::Length;
  if (reason == "content_filter") return StopReason::ContentFilter;
  if (reason == "tool_calls" || reason == "function_call") return StopReason::Tool;
  return StopReason::End;
}

class ChatReader final : public ReplyReader {
 public:
  explicit ChatReader(ReplyParts& parts) : parts_(parts) {}

  Result<> on_event(const net::SseEvent& event) override {
    if (event.data == "[DONE]") {
      parts_.is_done = true;
      return {};
    }
    if (trim(event.data).empty()) return {};
    const auto chunk = parse_json(event.data, "event");
    if (!chunk) {  // cut inside an event, or the event is no chunk
      parts_.is_broken = true;
      return {};
    }
    return take(*chunk, "delta");
  }

  Result<> on_whole(const Json& body) override {
    parts_.is_done = true;
    KW_TRY(take(body, "message"));
    if (!has_choice_)
      return fail(ErrorCode::BrokenReply, About{"choices"},
                  "the server's answer holds no 'choices': is this a chat completions server?");
    return {};
  }

  Result<> finish() override { return parts_.finish(); }

 private:
  Result<> take(const Json& body, const char* content_key) {
    if (!body.is_object())
      return fail(ErrorCode::BrokenReply, About{"object"},
                  "the server's answer is not a JSON object", {}, Advice::Retry);
    if (is_error(body)) return parts_.break_off(body);
    if (parts_.model.empty()) parts_.model = string_at(body, "model");
    if (const Json& usage = object_at(body, "usage"); !usage.is_null())
      parts_.usage = openai_usage(usage);
    const auto choices = body.find("choices");
    if (choices == body.end() || !choices->is_array()) return {};
    for (const Json& choice : *choices)
      if (count_at(choice, "index") == 0) take_choice(choice, content_key);
    return parts_.check_length();
  }

  void take_choice(const Json& choice, const char* content_key) {
    has_choice_ = true;
    const Json& content = object_at(choice, content_key);
    for (const char* key : {"reasoning_content", "reasoning"}) {
      const std::string thinking = string_at(content, key);
      if (thinking.empty()) continue;
      parts_.add_thinking(thinking);
      break;  // some servers send the same piece under both names
    }
    if (content.is_object() && content.contains("content")) take_content(content["content"]);
    take_refusal(string_at(content, "refusal"));
    if (const std::string reason = string_at(choice, "finish_reason"); !reason.empty())
      parts_.stop = openai_stop(reason);
    if (is_refused_) parts_.stop = StopReason::Refusal;
  }

  /// Takes content, which is a string or an array of typed parts.
  void take_content(const Json& content) {
    if (content.is_string()) parts_.add_text(content.get<std::string>());
    if (!content.is_array()) return;
    for (const Json& part : content) {
      const std::string type = string_at(part, "type");
      if (type == "thinking" || type == "reasoning")
        parts_.add_thinking(thinking_of(part, type.c_str()));
      else if (type == "refusal")
        take_refusal(string_at(part, "refusal"));
      else
        parts_.add_text(part.is_string() ? part.get<std::string>() : string_at(part, "text"));
    }
  }

  /// The text of a part of thinking: Mistral sends an array of text parts, other servers a string.
  static std::string thinking_of(const Json& part, const char* key) {
    std::string thinking = string_at(part, key) + string_at(part, "text");
    if (const auto inner = part.find(key); inner != part.end() && inner->is_array())
      for (const Json& piece : *inner) thinking += string_at(piece, "text");
    return thinking;
  }

  void take_refusal(const std::string& words) {
    if (words.empty()) return;
    parts_.add_text(words);
    is_refused_ = true;
  }

  ReplyParts& parts_;
  bool is_refused_ = false;
  bool has_choice_ = false;
};

std::unique_ptr<ReplyReader> openai_reader(ReplyParts& parts) {
  return std::make_unique<ChatReader>(parts);
}

}  // namespace

std::unique_ptr<ChatModel> make_openai_chat(Endpoint endpoint) {
  Quirks quirks;
  // OpenAI's own models want max_completion_tokens; most other servers know max_tokens only.
  quirks.says_completion_tokens =
      endpoint.spec.has_own_base_url() && info_of(endpoint.spec.provider).says_completion_tokens;
  Dialect dialect{"/chat/completions", openai_headers(endpoint), quirks, openai_body,
                  openai_reader};
  return make_http_chat(std::move(endpoint), std::move(dialect));
}

}  // namespace kw::llm
