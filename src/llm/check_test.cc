// Tests of check_model against a local server that answers as vendors do.
// SPDX-License-Identifier: Apache-2.0
#include "llm/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "llm/providers.h"
#include "llm/test_support.h"
#include "platform/files.h"

namespace kw::llm {
namespace {

using testing::HasSubstr;
using testing::Not;

class CheckedModel : public testing::Test {
 protected:
  CheckedModel() {
    around_.http = http_.get();
    around_.clock = &clock_;
    around_.keys.set(*provider_named("openai"), Secret(kTestKey));
    around_.keys.set(*provider_named("anthropic"), Secret(kTestKey));
  }
  ModelCheck check(const std::string& name) {
    return check_model(*parse_model_spec(name + "@" + server_.url() + "/v1"), around_);
  }
  void refuse(int status, const Json& body) {
    server_.add({.status = status, .pieces = {body.dump()}, .is_buffered = true});
  }
  /// Sends a chat completion of one token that the token limit cut off.
  void answer() {
    const Json piece = {{"model", "m-2026-01-01"},
                        {"choices", {{{"index", 0}, {"delta", {{"content", "ok"}}}}}}};
    const Json end = {
        {"choices", {{{"index", 0}, {"delta", Json::object()}, {"finish_reason", "length"}}}},
        {"usage", {{"prompt_tokens", 9}, {"completion_tokens", 1}}}};
    server_.add({.pieces = {"data: " + piece.dump() + "\n\n", "data: " + end.dump() + "\n\n",
                            "data: [DONE]\n\n"}});
  }
  Json body(std::size_t n) { return Json::parse(server_.requests().at(n).body); }

  net::TestServer server_;
  std::unique_ptr<net::HttpClient> http_ = net::make_curl_client();
  platform::FakeClock clock_;
  ModelSurroundings around_;
};

TEST_F(CheckedModel, IsAskedForOneTokenAndAnswersThoughItIsCutOff) {
  answer();
  const ModelCheck check = this->check("openai:m");
  EXPECT_TRUE(check.is_asked && check.is_good);
  EXPECT_EQ(check.words, "m-2026-01-01");
  EXPECT_EQ(check.usage.total(), 10);
  EXPECT_FALSE(check.cost_usd) << "its price is unknown";
  ASSERT_EQ(server_.requests().size(), 1u);
  EXPECT_EQ(body(0)["max_tokens"], 1);
}

TEST_F(CheckedModel, MayWantMoreThanOneToken) {
  refuse(400, {{"error", {{"message", "Invalid 'max_tokens': below the minimum of 16"}}}});
  answer();
  EXPECT_TRUE(check("openai:m").is_good);
  EXPECT_EQ(body(1)["max_tokens"], 16);
}

TEST_F(CheckedModel, IsGoodWhereItOnlyLacksRoomToThink) {
  refuse(400, {{"error",
                {{"message",
                  "Could not finish the message because max_tokens or model output limit was "
                  "reached."}}}});
  EXPECT_TRUE(check("openai:m").is_good);
}

TEST_F(CheckedModel, IsNotAskedAgainByItself) {
  refuse(429, {{"error", {{"message", "Slow down"}, {"code", "rate_limit_exceeded"}}}});
  EXPECT_EQ(check("openai:m").trouble, Trouble::Pace);
  EXPECT_EQ(server_.requests().size(), 1u);
}

struct VendorsNo {
  const char* name;
  const char* provider;
  int status;
  Json body;
  Trouble trouble;
};

class RefusedModel : public CheckedModel, public testing::WithParamInterface<VendorsNo> {};

TEST_P(RefusedModel, SaysWhatIsWrong) {
  refuse(GetParam().status, GetParam().body);
  const ModelCheck check = this->check(GetParam().provider);
  EXPECT_FALSE(check.is_good);
  EXPECT_EQ(check.trouble, GetParam().trouble);
  EXPECT_THAT(check.words, HasSubstr(std::to_string(GetParam().status)));
  EXPECT_THAT(check.words, Not(HasSubstr(kTestKey)));
}

Json no_of_openai(const char* message, const char* code) {
  return {{"error", {{"message", message}, {"type", "invalid_request_error"}, {"code", code}}}};
}
Json no_of_anthropic(const char* message, const char* type) {
  return {{"type", "error"}, {"error", {{"type", type}, {"message", message}}}};
}

INSTANTIATE_TEST_SUITE_P(
    Vendors, RefusedModel,
    testing::Values(
        VendorsNo{"OpenAiKey", "openai:m", 401,
                  no_of_openai("Incorrect API key provided", "invalid_api_key"), Trouble::Key},
        VendorsNo{"OpenAiName", "openai:m", 404,
                  no_of_openai("The model `m` does not exist", "model_not_found"), Trouble::Name},
        VendorsNo{"OpenAiNameAsBadRequest", "openai:m", 400,
                  no_of_openai("The model `m` does not exist", ""), Trouble::Name},
        VendorsNo{"OpenAiQuota", "openai:m", 429,
                  no_of_openai("You exceeded your current quota", "insufficient_quota"),
                  Trouble::Credit},
        VendorsNo{"OpenAiTrouble", "openai:m", 503, no_of_openai("overloaded", ""),
                  Trouble::Server},
        VendorsNo{"GoogleKey", "openai:m", 400, no_of_openai("API key not valid.", ""),
                  Trouble::Key},
        VendorsNo{"AnthropicKey", "anthropic:m", 401,
                  no_of_anthropic("invalid x-api-key", "authentication_error"), Trouble::Key},
        VendorsNo{"AnthropicName", "anthropic:m", 404,
                  no_of_anthropic("model: m", "not_found_error"), Trouble::Name},
        VendorsNo{"AnthropicCredit", "anthropic:m", 400,
                  no_of_anthropic("Your credit balance is too low", "invalid_request_error"),
                  Trouble::Credit}),
    [](const auto& refusal) { return std::string(refusal.param.name); });

TEST_F(CheckedModel, HasNoNetworkWhereNobodyAnswers) {
  const ModelCheck check =
      check_model(*parse_model_spec("openai:m@http://127.0.0.1:9/v1"), around_);
  EXPECT_FALSE(check.is_good);
  EXPECT_EQ(check.trouble, Trouble::Network);
}

TEST_F(CheckedModel, HasNoKeyAtTheVendors) {
  around_.keys = {};
  const ModelCheck check = check_model(*parse_model_spec("openai:m"), around_);
  EXPECT_EQ(check.trouble, Trouble::Key);
  EXPECT_THAT(check.words, HasSubstr("OPENAI_API_KEY"));
}

TEST_F(CheckedModel, IsNotUsedUpWhereAFileOrAPersonAnswers) {
  const auto folder = *platform::TempDir::create();
  EXPECT_TRUE(check_model(*parse_model_spec("manual:" + (folder.path() / "chat").string()), around_)
                  .is_good);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "chat"));
  const std::string script = (folder.path() / "script.yaml").string();
  EXPECT_FALSE(check_model(*parse_model_spec("scripted:" + script), around_).is_good);
}

TEST_F(CheckedModel, MayBeAnEmbedder) {
  server_.add({.pieces = {Json{{"model", "e-1"},
                               {"data", {{{"index", 0}, {"embedding", {0.1, 0.2}}}}},
                               {"usage", {{"prompt_tokens", 1}}}}
                              .dump()},
               .is_buffered = true});
  const auto spec = *parse_model_spec("openai:e@" + server_.url() + "/v1");
  const ModelCheck good = check_embedder(spec, around_);
  EXPECT_TRUE(good.is_good) << good.words;
  EXPECT_EQ(good.words, "e-1");
  refuse(401, no_of_openai("Incorrect API key provided", "invalid_api_key"));
  EXPECT_EQ(check_embedder(spec, around_).trouble, Trouble::Key);
  EXPECT_EQ(check_embedder(*parse_model_spec("manual:chat"), around_).trouble, Trouble::Name);
}

}  // namespace
}  // namespace kw::llm
