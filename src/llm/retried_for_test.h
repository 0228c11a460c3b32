// Retried: puts the real RetryModel around a test's model, with a fake clock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "llm/retry.h"

namespace kw::llm {

class Retried final : public ChatModel {
 public:
  /// `model` must outlive this object.
  explicit Retried(ChatModel& model)
      : retry_(std::make_unique<Behind>(model), {}, clock_, Seed::from_number(1)) {}
  Result<ChatReply> complete(const ChatRequest& request, Call& call) override {
    return retry_.complete(request, call);
  }
  const std::string& name() const override { return retry_.name(); }

 private:
  class Behind final : public ChatModel {
   public:
    explicit Behind(ChatModel& model) : model_(model) {}
    Result<ChatReply> complete(const ChatRequest& request, Call& call) override {
      return model_.complete(request, call);
    }
    const std::string& name() const override { return model_.name(); }

   private:
    ChatModel& model_;
  };

  platform::FakeClock clock_;
  RetryModel retry_;
};

}  // namespace kw::llm
