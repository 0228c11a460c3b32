// A model for tests that gives the same reply to every question.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "llm/chat_model.h"

namespace kw::propose {

/// Gives the same reply every time, and remembers what it was asked.
class OneReply final : public llm::ChatModel {
 public:
  explicit OneReply(std::string text) { reply_.text = std::move(text); }
  Result<ChatReply> complete(const ChatRequest& request, llm::Call&) override {
    asked = request.messages.front().text;
    settings = {request.max_tokens, request.temperature, request.effort};
    return reply_;
  }
  const std::string& name() const override { return name_; }
  std::string asked;
  ReplySettings settings;

 private:
  ChatReply reply_;
  std::string name_ = "one reply";
};

}  // namespace kw::propose
