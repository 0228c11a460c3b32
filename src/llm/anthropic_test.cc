// Tests of the Anthropic provider against a local server.
// SPDX-License-Identifier: Apache-2.0
#include "llm/anthropic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error_for_test.h"
#include "llm/test_support.h"

namespace kw::llm {
namespace {

using net::TestAnswer;
using testing::ElementsAre;
using testing::HasSubstr;

std::string event(const Json& body) {
  return "event: " + body["type"].get<std::string>() + "\ndata: " + body.dump() + "\n\n";
}

std::string start() {
  return event({{"type", "message_start"},
                {"message",
                 {{"model", "claude-x-20260101"},
                  {"usage",
                   {{"input_tokens", 10},
                    {"cache_read_input_tokens", 70},
                    {"cache_creation_input_tokens", 20},
                    {"output_tokens", 1}}}}}});
}

std::string delta(const char* type, const char* key, const std::string& words) {
  return event(
      {{"type", "content_block_delta"}, {"index", 0}, {"delta", {{"type", type}, {key, words}}}});
}

std::string spoken(const std::string& words) { return delta("text_delta", "text", words); }

std::string stop(const char* reason, int output_tokens) {
  return event({{"type", "message_delta"},
                {"delta", {{"stop_reason", reason}}},
                {"usage", {{"output_tokens", output_tokens}}}}) +
         event({{"type", "message_stop"}});
}

class Anthropic : public ProviderTest {
 protected:
  Anthropic() : ProviderTest("anthropic:claude-x") {}
  std::unique_ptr<ChatModel> model_ = make_anthropic_chat(endpoint());

  Result<ChatReply> ask() { return model_->complete(request_, call_); }
  void answer(std::vector<std::string> pieces) { server_.add({.pieces = std::move(pieces)}); }
  void refuse(int status, const char* type, const std::string& message) {
    server_.add(
        {.status = status,
         .pieces =
             {Json{{"type", "error"}, {"error", {{"type", type}, {"message", message}}}}.dump()},
         .is_buffered = true});
  }
};

TEST_F(Anthropic, StreamsTextAndThinkingWithUsageAndCost) {
  answer({start(), event({{"type", "ping"}}),
          event({{"type", "content_block_start"},
                 {"content_block", {{"type", "thinking"}, {"thinking", ""}}}}),
          delta("thinking_delta", "thinking", "hmm"), delta("signature_delta", "signature", "c2ln"),
          event({{"type", "content_block_stop"}, {"index", 0}}),
          event({{"type", "content_block_start"},
                 {"content_block", {{"type", "redacted_thinking"}, {"data", "x"}}}}),
          spoken("Hello "), spoken("world"), stop("end_turn", 30)});
  const auto reply = ask();
  ASSERT_TRUE(reply) << describe(reply.error());
  EXPECT_EQ(reply->text, "Hello world");
  EXPECT_EQ(heard_, "Hello world");
  EXPECT_EQ(reply->thinking, "hmm");
  EXPECT_EQ(reply->model, "claude-x-20260101");
  EXPECT_EQ(reply->usage, (Usage{100, 70, 20, 30, false}));
  EXPECT_DOUBLE_EQ(*reply->cost_usd, (10 * 1.0 + 70 * 0.5 + 20 * 2.0 + 30 * 4.0) / 1e6);

  const auto sent = server_.requests().at(0);
  EXPECT_EQ(sent.path, "/v1/messages");
  EXPECT_EQ(sent.header("x-api-key"), kTestKey);
  EXPECT_EQ(sent.header("anthropic-version"), "2023-06-01");
  EXPECT_EQ(sent.header("Authorization"), "");
  const Json body = Json::parse(sent.body);
  EXPECT_EQ(body["system"][0]["text"], "rules");
  EXPECT_EQ(body["system"][0]["cache_control"]["type"], "ephemeral");
  ASSERT_EQ(body["messages"].size(), 1u);
  EXPECT_EQ(body["messages"][0]["role"], "user");
  EXPECT_EQ(body["max_tokens"], 500);
  EXPECT_EQ(body["temperature"], 0.5);
  EXPECT_FALSE(body.contains("thinking"));
}

TEST_F(Anthropic, NamesWhyItStopped) {
  answer({start(), spoken("half"), stop("max_tokens", 500)});
  EXPECT_EQ(ask()->stop, StopReason::Length);
  answer({start(), stop("refusal", 0)});
  EXPECT_EQ(why_unusable(*ask()), "the model refused");
  answer({start(),
          event({{"type", "content_block_start"}, {"content_block", {{"type", "tool_use"}}}}),
          delta("input_json_delta", "partial_json", "{\"a\":"), stop("tool_use", 9)});
  const auto tool = ask();
  EXPECT_EQ(tool->stop, StopReason::Tool);
  EXPECT_EQ(tool->text, "");
}

TEST_F(Anthropic, OverloadIsWorthAnotherTry) {
  refuse(529, "overloaded_error", "Overloaded");
  auto reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().advice, Advice::Retry);
  EXPECT_THAT(reply, IsError(ErrorCode::ServerFailed));
  answer({start(), spoken("half"),
          event({{"type", "error"},
                 {"error", {{"type", "overloaded_error"}, {"message", "Overloaded"}}}})});
  reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().advice, Advice::Retry);
  EXPECT_EQ(call_.report.spent.prompt_tokens, 100);
}

TEST_F(Anthropic, ACutStreamIsNoReply) {
  answer({start(), spoken("half")});
  const auto reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().advice, Advice::Retry);
  EXPECT_THAT(reply, IsErrorAbout(ErrorCode::BrokenReply, "end"));
}

TEST_F(Anthropic, AnEventThatCannotBeReadLeavesNoSilentHole) {
  for (const std::string damaged :
       {R"(data: {"type":"content_block_delta","delta":{"type":"text_del)", "data: 7"}) {
    answer(
        {start(), spoken("void f("), damaged + "\n\n", spoken("int n) {}"), stop("end_turn", 50)});
    const auto reply = ask();
    ASSERT_FALSE(reply) << reply->text;
    EXPECT_EQ(reply.error().advice, Advice::Retry);
    EXPECT_THAT(reply, IsErrorAbout(ErrorCode::BrokenReply, "event"));
  }
  answer({start(), "data:\n\n", spoken("whole"), stop("end_turn", 50), "data: [DONE]\n\n"});
  EXPECT_EQ(ask()->text, "whole");
}

TEST_F(Anthropic, OutOfCreditAndAWrongKeyStop) {
  refuse(400, "invalid_request_error", "Your credit balance is too low to access the API.");
  const auto poor = ask();
  EXPECT_THAT(poor, IsError(ErrorCode::NoCredit));
  EXPECT_EQ(poor.error().advice, Advice::Stop);
  refuse(401, "authentication_error", "invalid x-api-key");
  const auto reply = ask();
  EXPECT_EQ(reply.error().advice, Advice::Stop);
  EXPECT_THAT(reply, IsError(ErrorCode::BadKey));
  EXPECT_EQ(hint_in(reply), ServerHint::CheckKey);
}

TEST_F(Anthropic, ThinkingFindsTheFormThatTheModelTakes) {
  request_.effort = "high";
  request_.max_tokens = 8000;
  refuse(400, "invalid_request_error", "adaptive thinking is not supported on this model");
  answer({start(), spoken("ok"), stop("end_turn", 1)});
  ASSERT_TRUE(ask());
  const Json first = Json::parse(server_.requests()[0].body);
  EXPECT_EQ(first["thinking"]["type"], "adaptive");
  EXPECT_EQ(first["output_config"]["effort"], "high");
  EXPECT_FALSE(first.contains("temperature"));
  const Json second = Json::parse(server_.requests()[1].body);
  EXPECT_EQ(second["thinking"]["budget_tokens"], 6000);
  EXPECT_FALSE(second.contains("output_config"));
  refuse(400, "invalid_request_error", "thinking: Extra inputs are not permitted");
  answer({start(), spoken("ok"), stop("end_turn", 1)});
  ASSERT_TRUE(ask());
  EXPECT_FALSE(Json::parse(server_.requests().back().body).contains("thinking"));
  EXPECT_EQ(notices_.size(), 2u);
}

TEST_F(Anthropic, ABoundOnTokensIsTakenFromTheRefusal) {
  request_.max_tokens = 200'000;
  refuse(400, "invalid_request_error",
         "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for "
         "claude-x");
  answer({start(), spoken("ok"), stop("end_turn", 1)});
  ASSERT_TRUE(ask());
  EXPECT_EQ(Json::parse(server_.requests().back().body)["max_tokens"], 64000);
}

TEST_F(Anthropic, RefusalsAreOneClearLineWithTheirWait) {
  struct Refusal {
    int status;
    const char* type;
    const char* message;
    Advice advice;
    ErrorCode code;
    ServerHint hint = ServerHint::None;
  };
  for (const Refusal& refusal :
       {Refusal{429, "rate_limit_error", "Too many\nrequests", Advice::Retry,
                ErrorCode::TooManyRequests},
        Refusal{500, "api_error", "Internal server error", Advice::Retry, ErrorCode::ServerFailed},
        Refusal{404, "not_found_error", "model: claude-x", Advice::Stop, ErrorCode::NoModel,
                ServerHint::CheckName}}) {
    server_.add({.status = refusal.status,
                 .pieces = {Json{{"type", "error"},
                                 {"error", {{"type", refusal.type}, {"message", refusal.message}}}}
                                .dump()},
                 .headers = {{"Retry-After", "2"}},
                 .is_buffered = true});
    const auto reply = ask();
    ASSERT_FALSE(reply) << refusal.type;
    EXPECT_EQ(reply.error().advice, refusal.advice) << refusal.type;
    EXPECT_THAT(reply, testing::AllOf(IsError(refusal.code), IsErrorWithout("\n")));
    EXPECT_EQ(hint_in(reply), refusal.hint) << refusal.type;
    EXPECT_EQ(call_.report.retry_after, std::chrono::seconds(2));
  }
}

TEST_F(Anthropic, LeavesOutATemperatureThatIsRejected) {
  refuse(400, "invalid_request_error", "temperature is not supported with this model.");
  answer({start(), spoken("ok"), stop("end_turn", 1)});
  ASSERT_TRUE(ask());
  EXPECT_FALSE(Json::parse(server_.requests().back().body).contains("temperature"));
  EXPECT_THAT(notices_, ElementsAre(HasSubstr("rejects a temperature")));
}

TEST_F(Anthropic, JoinsCharactersThatPiecesCutAndTakesAProxysWholeStream) {
  const std::string stream =
      start() + spoken("5 \xE2\x82\xAC \xF0\x9F\x98\x80") + stop("end_turn", 3);
  std::vector<std::string> bytes;
  for (const char c : stream) bytes.emplace_back(1, c);
  answer(bytes);
  EXPECT_EQ(ask()->text, "5 € 😀");
  server_.add({.content_type = "text/html", .pieces = {stream}, .is_buffered = true});
  EXPECT_EQ(ask()->text, "5 € 😀");
}

TEST_F(Anthropic, AnEmptyReplyAndAWebPageAreNoKernel) {
  answer({start(), stop("end_turn", 0)});
  EXPECT_EQ(why_unusable(*ask()), "the reply is empty");
  server_.add({.content_type = "text/html",
               .pieces = {"<!doctype html><title>Sign in</title>"},
               .is_buffered = true});
  const auto reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply, IsErrorAbout(ErrorCode::BrokenReply, "a web page titled 'Sign in'"));
}

TEST_F(Anthropic, HangsFloodsAndHugeLinesEnd) {
  timeouts_.idle = std::chrono::milliseconds(30);
  timeouts_.total = std::chrono::milliseconds(120);
  model_ = make_anthropic_chat(endpoint());
  server_.add({.pieces = {start() + spoken("half")}, .end = TestAnswer::End::Hang});
  EXPECT_THAT(ask(), IsErrorAbout(ErrorCode::TimedOut, "idle"));
  server_.add({.pieces = {event({{"type", "ping"}})}, .end = TestAnswer::End::Flood});
  EXPECT_THAT(ask(), IsErrorAbout(ErrorCode::TimedOut, "total"));
  timeouts_ = {};
  model_ = make_anthropic_chat(endpoint());
  server_.add({.pieces = {"data: " + std::string(17 << 20, 'x')}});
  EXPECT_THAT(ask(), IsErrorAbout(ErrorCode::TooLarge, "line"));
}

TEST_F(Anthropic, AFloodOfTextEndsAndIsChargedNoMoreThanWasAllowed) {
  answer({start() + spoken(std::string(70'000, 'x')), ": the rest is cut off"});
  ASSERT_FALSE(ask());  // 70,000 bytes are estimated as 20,000 tokens
  EXPECT_EQ(call_.report.spent.completion_tokens, request_.max_tokens);
  server_.add({.pieces = {spoken(std::string(20'000, 'x'))}, .end = TestAnswer::End::Flood});
  const auto reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().advice, Advice::GiveUp);
  EXPECT_THAT(reply, IsErrorAbout(ErrorCode::BrokenReply, "max_tokens"));
  EXPECT_EQ(call_.report.spent.completion_tokens, request_.max_tokens);
}

TEST_F(Anthropic, UnderstandsAServerThatDoesNotStream) {
  server_.add(
      {.content_type = "application/json",
       .pieces = {R"({"type":"message","model":"c","content":[{"type":"thinking","thinking":"t"},)"
                  R"({"type":"text","text":"whole"}],"stop_reason":"end_turn",)"
                  R"("usage":{"input_tokens":5,"output_tokens":6}})"},
       .is_buffered = true});
  const auto reply = ask();
  ASSERT_TRUE(reply) << describe(reply.error());
  EXPECT_EQ(reply->text, "whole");
  EXPECT_EQ(reply->thinking, "t");
  EXPECT_EQ(reply->usage.total(), 11);
}

}  // namespace
}  // namespace kw::llm
