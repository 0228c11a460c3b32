// ReplyParts: what a streamed reply has come to so far, shared by the providers that speak HTTP.
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

/// Fields of foreign JSON, with a harmless answer where they are missing or of another type.
std::string string_at(const Json& object, const char* key);
std::int64_t count_at(const Json& object, const char* key);
/// Null where it is missing or no object.
const Json& object_at(const Json& object, const char* key);

/// A reply under way. Passes pieces on to the call's listener as they are added.
class ReplyParts {
 public:
  /// `max_tokens` is what the request allows the reply.
  ReplyParts(const Call& call, std::int64_t max_tokens) : call_(&call), max_tokens_(max_tokens) {}

  void add_text(std::string_view piece);
  void add_thinking(std::string_view piece);

  bool is_empty() const { return text_.empty() && thinking_.empty(); }

  std::string model;
  std::optional<Usage> usage;
  std::optional<StopReason> stop;
  bool is_done = false;                ///< The stream's own end mark came.
  bool is_broken = false;              ///< An event could not be read: the text has a hole.
  std::optional<ServerError> refusal;  ///< Of break_off().

  /// The reply, its cost and time. Where the server sent no count, one is made from bytes.
  ChatReply to_reply(const ChatRequest& request, const Endpoint& endpoint, std::int64_t started_ns);
  /// Notes the error that the server sent in the place of a reply, or of its rest.
  std::unexpected<Error> break_off(const Json& body);
  /// An error once more was written than max_tokens can be: the server does not keep to it.
  Result<> check_length() const;
  /// What was spent if the try ended here. What is estimated of the reply is never above what was
  /// allowed, so that a budget which let the call begin bears it.
  Usage spent(const ChatRequest& request) const;
  /// Of a stream that is over: an error, worth another try, where it ended too early or has a hole.
  Result<> finish() const;

 private:
  const Call* call_;
  std::int64_t max_tokens_;
  std::string text_;
  std::string thinking_;
};

/// What a try may have cost that ended in `error`: nothing where nothing was sent.
Usage spent_by(const Error& error, const ReplyParts& parts, const ChatRequest& request);

/// Moves a leading <think>…</think> block from text to thinking, as local servers without a
/// reasoning parser leave it; a lone </think> ends a block that the prompt's template had opened.
void part_thinking(std::string& text, std::string& thinking);

}  // namespace kw::llm
