// ReplyParts: collects a streamed reply for the providers that use HTTP.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "llm/chat_model.h"
#include "llm/wire.h"

namespace kw::llm {

/// A field of foreign JSON, or an empty value where it is missing or of another type.
std::string string_at(const Json& object, const char* key);
std::int64_t count_at(const Json& object, const char* key);
/// Returns null where the field is missing or no object.
const Json& object_at(const Json& object, const char* key);

/// A reply that is still arriving. Added pieces are passed on to the call's listener.
class ReplyParts {
 public:
  /// `max_tokens` is the request's bound on the reply.
  ReplyParts(const Call& call, std::int64_t max_tokens) : call_(&call), max_tokens_(max_tokens) {}

  void add_text(std::string_view piece);
  void add_thinking(std::string_view piece);

  bool is_empty() const { return text_.empty() && thinking_.empty(); }

  std::string model;
  std::optional<Usage> usage;
  std::optional<StopReason> stop;
  bool is_done = false;    ///< Whether the stream's own end mark came.
  bool is_broken = false;  ///< Whether an event could not be read, so that text is missing.
  std::optional<ServerError> refusal;  ///< The error that was passed to break_off().

  /// The reply with its cost and time. Where the server sent no count, tokens are estimated from
  /// bytes.
  ChatReply to_reply(const ChatRequest& request, const Endpoint& endpoint, std::int64_t started_ns);
  /// Records an error that the server sent instead of the reply or of its remaining part.
  std::unexpected<Error> break_off(const Json& body);
  /// Fails if more text has arrived than max_tokens can hold, which means that the server ignores
  /// the bound.
  Result<> check_length() const;
  /// What the try has spent if it ends now. Estimated reply tokens never exceed the request's
  /// bound, so that a budget which allowed the call is not exceeded.
  Usage spent(const ChatRequest& request) const;
  /// To be called at the end of a stream. Fails, with Advice::Retry, if the stream ended too early
  /// or text is missing.
  Result<> finish() const;

 private:
  const Call* call_;
  std::int64_t max_tokens_;
  std::string text_;
  std::string thinking_;
};

/// What a try that ended in `error` may have cost; zero where nothing was sent.
Usage spent_by(const Error& error, const ReplyParts& parts, const ChatRequest& request);

}  // namespace kw::llm
