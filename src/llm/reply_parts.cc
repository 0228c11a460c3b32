// Collects the parts of a streamed reply.
// SPDX-License-Identifier: Apache-2.0
#include "llm/reply_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "llm/estimate.h"
#include "llm/prices.h"
#include "llm/thinking.h"

namespace kw::llm {
namespace {

/// Bytes per token above which a reply is too long for its bound: ten times the usual number,
/// because rows of blanks or dashes take few tokens.
constexpr std::size_t kMostBytesPerToken = 35;
/// Bytes that a reply may exceed its bound by, because some servers do not count thinking.
constexpr std::size_t kSlackBytes = std::size_t{64} << 10;

}  // namespace

std::string string_at(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t count_at(const Json& object, const char* key) {
  if (!object.is_object()) return 0;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return 0;
  // The upper limit is far above any real count, and keeps sums from overflowing.
  return std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, std::int64_t{1} << 40);
}

const Json& object_at(const Json& object, const char* key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : nothing;
}

void ReplyParts::add_text(std::string_view piece) {
  text_ += piece;
  call_->tell(Delta::Kind::Text, piece);
}

void ReplyParts::add_thinking(std::string_view piece) {
  thinking_ += piece;
  call_->tell(Delta::Kind::Thinking, piece);
}

Usage ReplyParts::spent(const ChatRequest& request) const {
  Usage spent = usage.value_or(Usage{});
  if (!usage) spent.prompt_tokens = likely_tokens(bytes_of(request));
  const std::int64_t written =
      std::min(likely_tokens(text_.size() + thinking_.size()), max_tokens_);
  if (spent.completion_tokens < written) spent.completion_tokens = written;
  spent.is_estimated = true;
  return spent;
}

Usage spent_by(const Error& error, const ReplyParts& parts, const ChatRequest& request) {
  if (error.code == ErrorCode::NoConnection) return {};
  return parts.spent(request);
}

ChatReply ReplyParts::to_reply(const ChatRequest& request, const Endpoint& endpoint,
                               std::int64_t started_ns) {
  ChatReply reply;
  reply.usage = usage ? *usage : spent(request);
  PartedReply parted = part_thinking(text_);
  reply.text = std::move(parted.text);
  reply.thinking = std::move(thinking_) + std::move(parted.thinking);
  reply.model = model.empty() ? endpoint.spec.name : model;
  reply.stop = stop.value_or(StopReason::End);
  // Some servers report "stop" for a reply that the limit of the context cut off.
  if (parted.is_open && reply.stop == StopReason::End) reply.stop = StopReason::Length;
  reply.latency_ns = endpoint.clock->now_ns() - started_ns;
  if (endpoint.price) reply.cost_usd = cost_usd(reply.usage, *endpoint.price);
  return reply;
}

Result<> ReplyParts::check_length() const {
  const std::size_t written = text_.size() + thinking_.size();
  const auto most = static_cast<std::size_t>(max_tokens_) * kMostBytesPerToken + kSlackBytes;
  if (written <= most) return {};
  return fail(
      ErrorCode::BrokenReply, About{"max_tokens"},
      fmt::format("the server does not keep to max_tokens: it sent {} of reply, and at most {} "
                  "tokens were asked for",
                  format_bytes(written), max_tokens_));
}

std::unexpected<Error> ReplyParts::break_off(const Json& body) {
  refusal = error_in_reply(body);
  return fail(ErrorCode::ServerFailed, About{refusal->message}, refusal->message);
}

Result<> ReplyParts::finish() const {
  if (is_broken)
    return fail(ErrorCode::BrokenReply, About{"event"},
                "an event of the stream cannot be read, so a part of the reply is missing", {},
                Advice::Retry);
  if (is_done || stop) return {};
  return fail(ErrorCode::BrokenReply, About{"end"},
              fmt::format("the stream ended before the reply was complete, after {} of text",
                          format_bytes(text_.size() + thinking_.size())),
              {}, Advice::Retry);
}

}  // namespace kw::llm
