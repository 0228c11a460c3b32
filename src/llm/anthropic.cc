// Anthropic's messages protocol, whose events have names and whose content comes in blocks.
// SPDX-License-Identifier: Apache-2.0
#include "llm/anthropic.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "llm/http_chat.h"

namespace kw::llm {
namespace {

constexpr const char* kVersion = "2023-06-01";
// the smallest budget that the protocol accepts
constexpr std::int64_t kSmallestThinkingBudget = 1024;

std::vector<net::Header> anthropic_headers(const Endpoint& endpoint) {
  std::vector<net::Header> headers{{"anthropic-version", kVersion}};
  if (endpoint.key.is_set()) headers.push_back({"x-api-key", endpoint.key.reveal()});
  return headers;
}

/// The number of thinking tokens, for models that require a number: a quarter, half or three
/// quarters of max_tokens.
std::int64_t thinking_budget(const std::string& effort, std::int64_t max_tokens) {
  const std::int64_t quarters = effort == "low" ? 1 : effort == "high" ? 3 : 2;
  return std::max(kSmallestThinkingBudget, max_tokens / 4 * quarters);
}

/// Adds a request for thinking. Returns whether one was added; the temperature must then be left
/// out.
bool add_thinking(Json& body, const ChatRequest& request, const Quirks& quirks,
                  std::int64_t max_tokens) {
  if (request.effort.empty() || quirks.thinking == ThinkingForm::None) return false;
  if (quirks.thinking == ThinkingForm::Adaptive) {
    body["thinking"] = {{"type", "adaptive"}};
    body["output_config"] = {{"effort", request.effort}};
    return true;
  }
  const std::int64_t budget = thinking_budget(request.effort, max_tokens);
  if (budget >= max_tokens) return false;
  body["thinking"] = {{"type", "enabled"}, {"budget_tokens", budget}};
  return true;
}

Json anthropic_body(const Endpoint& endpoint, const ChatRequest& request, const Quirks& quirks) {
  Json body;
  body["model"] = endpoint.spec.name;
  const std::int64_t max_tokens = reply_bound(request, quirks);
  body["max_tokens"] = max_tokens;
  body["stream"] = true;
  Json system = Json::array();
  Json& messages = body["messages"] = Json::array();
  for (const ChatMessage& message : request.messages) {
    if (message.role == ChatRole::System)
      system.push_back({{"type", "text"}, {"text", message.text}});
    else
      messages.push_back({{"role", name_of(message.role)}, {"content", message.text}});
  }
  if (!system.empty()) {
    system.back()["cache_control"] = {{"type", "ephemeral"}};
    body["system"] = std::move(system);
  }
  const bool is_thinking = add_thinking(body, request, quirks, max_tokens);
  if (request.temperature && quirks.takes_temperature && !is_thinking)
    body["temperature"] = *request.temperature;
  return body;
}

StopReason anthropic_stop(const std::string& reason) {
  if (reason == "max_tokens" || reason == "model_context_window_exceeded")
    return StopReason::Length;
  if (reason == "refusal") return StopReason::Refusal;
  if (reason == "tool_use" || reason == "pause_turn") return StopReason::Tool;
  return StopReason::End;  // end_turn, stop_sequence
}

class MessageReader final : public ReplyReader {
 public:
  explicit MessageReader(ReplyParts& parts) : parts_(parts) {}

  Result<> on_event(const net::SseEvent& event) override {
    if (trim(event.data).empty() || event.data == "[DONE]")
      return {};  // some proxies end a stream with [DONE]
    const auto json = parse_json(event.data, "event");
    if (!json || !json->is_object()) {
      parts_.is_broken = true;
      return {};
    }
    // The type inside the event is read, because some proxies drop the event's name.
    const std::string type = string_at(*json, "type");
    if (type == "error") return parts_.break_off(*json);
    if (type == "message_start") {
      const Json& message = object_at(*json, "message");
      parts_.model = string_at(message, "model");
      take_usage(object_at(message, "usage"));
    } else if (type == "content_block_start") {
      take_block(object_at(*json, "content_block"));
    } else if (type == "content_block_delta") {
      take_delta(object_at(*json, "delta"));
    } else if (type == "message_delta") {
      take_stop(object_at(*json, "delta"));
      take_usage(object_at(*json, "usage"));
    } else if (type == "message_stop") {
      parts_.is_done = true;
    }
    return parts_.check_length();
  }

  Result<> on_whole(const Json& body) override {
    if (string_at(body, "type") == "error") return parts_.break_off(body);
    const auto content = body.is_object() ? body.find("content") : body.end();
    if (!body.is_object() || content == body.end() || !content->is_array())
      return fail(
          ErrorCode::BrokenReply, About{"content"},
          "the server's answer holds no 'content': is this a messages server (Anthropic API)?");
    parts_.model = string_at(body, "model");
    for (const Json& block : *content) take_block(block);
    take_stop(body);
    take_usage(object_at(body, "usage"));
    parts_.is_done = true;
    return parts_.check_length();
  }

  Result<> finish() override { return parts_.finish(); }

 private:
  /// Takes a content block: empty in a stream, where deltas follow, and complete otherwise. Blocks
  /// of tool calls are ignored.
  void take_block(const Json& block) {
    const std::string type = string_at(block, "type");
    if (type == "text") parts_.add_text(string_at(block, "text"));
    if (type == "thinking") parts_.add_thinking(string_at(block, "thinking"));
  }

  void take_delta(const Json& delta) {
    const std::string type = string_at(delta, "type");
    if (type == "text_delta") parts_.add_text(string_at(delta, "text"));
    if (type == "thinking_delta") parts_.add_thinking(string_at(delta, "thinking"));
  }

  void take_stop(const Json& delta) {
    if (const std::string reason = string_at(delta, "stop_reason"); !reason.empty())
      parts_.stop = anthropic_stop(reason);
  }

  /// input_tokens excludes tokens that the cache served or stored. A later count replaces an
  /// earlier one.
  void take_usage(const Json& json) {
    if (json.is_null()) return;
    Usage usage = parts_.usage.value_or(Usage{});
    if (json.contains("input_tokens")) {
      usage.cached_tokens = count_at(json, "cache_read_input_tokens");
      usage.cache_write_tokens = count_at(json, "cache_creation_input_tokens");
      usage.prompt_tokens =
          count_at(json, "input_tokens") + usage.cached_tokens + usage.cache_write_tokens;
    }
    usage.completion_tokens = std::max(usage.completion_tokens, count_at(json, "output_tokens"));
    parts_.usage = usage;
  }

  ReplyParts& parts_;
};

std::unique_ptr<ReplyReader> anthropic_reader(ReplyParts& parts) {
  return std::make_unique<MessageReader>(parts);
}

}  // namespace

std::unique_ptr<ChatModel> make_anthropic_chat(Endpoint endpoint) {
  const bool has_version = endpoint.spec.base_url.ends_with("/v1");
  Dialect dialect{has_version ? "/messages" : "/v1/messages",
                  anthropic_headers(endpoint),
                  {},
                  anthropic_body,
                  anthropic_reader};
  return make_http_chat(std::move(endpoint), std::move(dialect));
}

}  // namespace kw::llm
