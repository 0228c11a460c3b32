// The words of the hints for errors of a model's server, and of one error of each code that models
// give: see src/base/error_snapshot_test.cc.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/error_for_test.h"
#include "base/text.h"
#include "llm/budget.h"
#include "llm/exchanges.h"
#include "llm/memory_exchanges_for_test.h"
#include "llm/open_model.h"
#include "llm/wire.h"

namespace kw::llm {
namespace {

Endpoint endpoint_at(const std::string& spec) {
  Endpoint endpoint;
  endpoint.spec = parse_model_spec(spec).value();
  return endpoint;
}

/// Is never asked.
class SilentModel final : public ChatModel {
 public:
  Result<ChatReply> complete(const ChatRequest&, Call&) override { return ChatReply(); }
  const std::string& name() const override { return name_; }

 private:
  std::string name_ = "silent:model";
};

ServerError answer(int status, const std::string& message) {
  ServerError error;
  error.status = status;
  error.message = message;
  return error;
}

TEST(ErrorSnapshot, HintsOfServerErrors) {
  Endpoint open = endpoint_at("openai:m");
  EXPECT_EQ(hint_of(answer(401, "no"), open), ServerHint::SetKey);
  open.key = Secret("sk-secret-test-key-0002");
  EXPECT_EQ(hint_of(answer(403, "no"), open), ServerHint::CheckKey);
  EXPECT_EQ(hint_of(answer(404, "no"), open), ServerHint::CheckName);
  EXPECT_EQ(hint_of(answer(404, "no"), endpoint_at("openai:m@http://localhost:1")),
            ServerHint::CheckNameAndAddress);
  EXPECT_EQ(hint_of(answer(400, "no"), open), ServerHint::None);
  EXPECT_EQ(hint_of(answer(500, "no"), open), ServerHint::None);

  EXPECT_EQ(words_of(ServerHint::None, open), "");
  EXPECT_EQ(words_of(ServerHint::CheckKey, open), "; check the key in OPENAI_API_KEY");
  EXPECT_EQ(words_of(ServerHint::SetKey, endpoint_at("anthropic:m")),
            "; no key was sent: set ANTHROPIC_API_KEY");
  EXPECT_EQ(words_of(ServerHint::CheckName, open), "; is the model's name right?");
  EXPECT_EQ(words_of(ServerHint::CheckNameAndAddress, open),
            "; is the model's name right, and should the base URL end in /v1?");
  EXPECT_EQ(words_of(ServerHint::ShortenPrompt, open), "; the prompt is too large for this server");
  EXPECT_EQ(words_of(ServerHint::LowerTokens, open),
            "; prompt and reply share the context: lower --prompt-tokens or --max-tokens");
  EXPECT_EQ(words_of(ServerHint::GiveFinalAddress, open),
            "; a key is never sent on: give the final address as base URL");
}

TEST(ErrorSnapshot, Llm) {
  const Endpoint open = endpoint_at("openai:m");
  EXPECT_THAT(to_error(answer(401, "wrong key"), open),
              IsErrorShownAs(ErrorCode::BadKey,
                             "openai:m: HTTP 401: wrong key" + words_of(ServerHint::SetKey, open)));
  EXPECT_THAT(to_error(answer(404, "no model m"), open),
              IsErrorShownAs(ErrorCode::NoModel, "openai:m: HTTP 404: no model m" +
                                                     words_of(ServerHint::CheckName, open)));
  EXPECT_THAT(to_error(answer(402, "pay first"), open),
              IsErrorShownAs(ErrorCode::NoCredit, "openai:m: HTTP 402: pay first"));
  ServerError limit = answer(429, "slow down");
  limit.retry_after = std::chrono::milliseconds(1500);
  EXPECT_THAT(to_error(limit, open),
              IsErrorShownAs(ErrorCode::TooManyRequests,
                             "openai:m: HTTP 429: slow down (try again in 2 s)"));
  ServerError broken = answer(529, "Overloaded");
  broken.is_in_reply = true;
  EXPECT_THAT(to_error(broken, open),
              IsErrorShownAs(ErrorCode::ServerFailed,
                             "openai:m: the server broke the reply off: Overloaded"));
  EXPECT_THAT(to_error(answer(422, "field required"), open),
              IsErrorShownAs(ErrorCode::Refused, "openai:m: HTTP 422: field required"));
  EXPECT_THAT(
      to_error(answer(400, "the output limit was reached"), open),
      IsErrorShownAs(ErrorCode::OutOfTokens, "openai:m: HTTP 400: the output limit was reached"));
  Ledger ledger({.calls = 0});
  EXPECT_THAT(
      ledger.reserve({}, {}, "openai:m"),
      IsErrorShownAs(ErrorCode::OverBudget, "openai:m: the budget of 0 model calls is used up"));
  EXPECT_THAT(
      open_embeddings(parse_model_spec("manual:chat").value(), ModelSurroundings()),
      IsErrorShownAs(ErrorCode::Unsupported,
                     "manual:chat: only " + join(model_forms(ProviderGroup::Embedding), " and ") +
                         " models, at any base URL, can give embeddings"));
  MemoryExchanges exchanges;
  Exchange other;
  other.key = KeyMaker().next("silent:model", "", {});
  other.request.messages.emplace_back();
  ASSERT_TRUE(exchanges.keep(other));
  CacheModel cache(std::make_unique<SilentModel>(), exchanges, platform::real_clock());
  Call call;
  EXPECT_THAT(cache.complete({}, call),
              IsErrorShownAs(ErrorCode::Changed,
                             other.key + ": the stored exchange with a model of this key belongs "
                                         "to another request"));
}

}  // namespace
}  // namespace kw::llm
