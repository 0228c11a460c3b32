// Sends a request to a model's server and reads the reply, in the same way for all protocols.
// SPDX-License-Identifier: Apache-2.0
#include "llm/http_chat.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace kw::llm {
namespace {

class HttpChat final : public ChatModel {
 public:
  HttpChat(Endpoint endpoint, Dialect dialect)
      : endpoint_(std::move(endpoint)),
        dialect_(std::move(dialect)),
        name_(endpoint_.spec.text()),
        quirks_(dialect_.quirks) {}

  Result<ChatReply> complete(const ChatRequest& request, Call& call) override {
    for (;;) {
      call.report = {};
      Quirks quirks = quirks_.get();
      const std::int64_t started = endpoint_.clock->now_ns();
      ReplyParts parts(call, request.max_tokens);
      const auto reader = dialect_.reader(parts);
      const Json body = dialect_.body(endpoint_, request, quirks);
      const auto posted = post(endpoint_, dialect_.path, dialect_.headers, body, *reader, call);
      if (!posted) call.report.spent = spent_by(posted.error(), parts, request);
      const auto& refusal = posted ? posted->refusal : parts.refusal;
      if (posted && !refusal) return parts.to_reply(request, endpoint_, started);
      call.report.trouble = refusal ? trouble_of(*refusal) : Trouble::Network;
      if (!refusal) return std::unexpected(posted.error());
      const auto notice = parts.is_empty() ? adapt(*refusal, request, quirks) : std::nullopt;
      if (!notice) return std::unexpected(to_error(*refusal, endpoint_));
      quirks_.set(quirks);
      call.say(name_ + ": " + *notice);
    }
  }

  const std::string& name() const override { return name_; }

 private:
  const Endpoint endpoint_;
  const Dialect dialect_;
  const std::string name_;
  SharedQuirks quirks_;
};

}  // namespace

std::unique_ptr<ChatModel> make_http_chat(Endpoint endpoint, Dialect dialect) {
  return std::make_unique<HttpChat>(std::move(endpoint), std::move(dialect));
}

}  // namespace kw::llm
