// Tests of the OpenAI-compatible provider against a local server with every quirk that users meet.
// SPDX-License-Identifier: Apache-2.0
#include "llm/openai.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error_for_test.h"
#include "llm/retry.h"
#include "llm/test_support.h"

namespace kw::llm {
namespace {

using net::TestAnswer;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// One chunk of a streamed completion as an event.
std::string chunk(const Json& delta, const char* finish = nullptr) {
  Json body = {{"model", "m-2026-01-01"}, {"choices", {{{"index", 0}, {"delta", delta}}}}};
  body["choices"][0]["finish_reason"] = finish == nullptr ? Json() : Json(finish);
  return "data: " + body.dump() + "\n\n";
}

std::string text(const std::string& words) { return chunk({{"content", words}}); }

const std::string kUsage =
    R"(data: {"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,)"
    R"("prompt_tokens_details":{"cached_tokens":60}}})"
    "\n\n";
const std::string kDone = "data: [DONE]\n\n";

class OpenAi : public ProviderTest {
 protected:
  OpenAi() : ProviderTest("openai:m") {}
  std::unique_ptr<ChatModel> model() { return make_openai_chat(endpoint()); }
  std::unique_ptr<ChatModel> model_ = model();

  Result<ChatReply> ask() { return model_->complete(request_, call_); }
  void answer(std::vector<std::string> pieces) { server_.add({.pieces = std::move(pieces)}); }
};

TEST_F(OpenAi, StreamsAReplyWithUsageAndCost) {
  answer({chunk({{"role", "assistant"}, {"content", ""}}), text("Hello "), text("world"),
          chunk(Json::object(), "stop"), kUsage, kDone});
  const auto reply = ask();
  ASSERT_TRUE(reply) << describe(reply.error());
  EXPECT_EQ(reply->text, "Hello world");
  EXPECT_EQ(heard_, "Hello world");
  EXPECT_EQ(reply->model, "m-2026-01-01");
  EXPECT_EQ(reply->stop, StopReason::End);
  EXPECT_EQ(reply->usage, (Usage{100, 60, 0, 20, false}));
  EXPECT_DOUBLE_EQ(*reply->cost_usd, (40 * 1.0 + 60 * 0.5 + 20 * 4.0) / 1e6);
  EXPECT_EQ(why_unusable(*reply), "");

  const auto sent = server_.requests().at(0);
  EXPECT_EQ(sent.path, "/v1/chat/completions");
  EXPECT_EQ(sent.header("Authorization"), "Bearer " + kTestKey);
  const Json body = Json::parse(sent.body);
  EXPECT_EQ(body["model"], "m");
  EXPECT_EQ(body["stream_options"]["include_usage"], true);
  EXPECT_EQ(body["max_tokens"], 500);
  EXPECT_EQ(body["temperature"], 0.5);
  EXPECT_EQ(body["messages"][0]["role"], "system");
  EXPECT_EQ(body["messages"][1]["content"], "question");
  EXPECT_FALSE(body.contains("reasoning_effort"));
}

TEST_F(OpenAi, JoinsCharactersThatPiecesCut) {
  const std::string event = text("5 \xE2\x82\xAC \xF0\x9F\x98\x80");
  std::vector<std::string> bytes;
  for (const char c : event + chunk(Json::object(), "stop") + kDone) bytes.emplace_back(1, c);
  answer(bytes);
  EXPECT_EQ(ask()->text, "5 € 😀");
}

TEST_F(OpenAi, TakesABufferedStreamAWrongContentTypeAndNoStreamAtAll) {
  server_.add({.content_type = "text/html",
               .pieces = {text("a"), text("b"), chunk(Json::object(), "stop"), kDone},
               .is_buffered = true});
  EXPECT_EQ(ask()->text, "ab");
  server_.add(
      {.content_type = "text/plain",
       .pieces = {R"({"model":"m1","choices":[{"index":0,"finish_reason":"length","message":)"
                  R"({"role":"assistant","content":"whole"}}],"usage":{"prompt_tokens":3,)"
                  R"("completion_tokens":4}})"},
       .is_buffered = true});
  const auto whole = ask();
  ASSERT_TRUE(whole) << describe(whole.error());
  EXPECT_EQ(whole->text, "whole");
  EXPECT_EQ(whole->stop, StopReason::Length);
  EXPECT_EQ(whole->usage.completion_tokens, 4);
}

TEST_F(OpenAi, KeepsThinkingApart) {
  answer({chunk({{"reasoning_content", "I should "}}),
          chunk({{"reasoning", "tile"}, {"reasoning_content", "tile"}}), text("code"),
          chunk(Json::object(), "stop"), kDone});
  auto reply = ask();
  EXPECT_EQ(reply->text, "code");
  EXPECT_EQ(reply->thinking, "I should tile");
  EXPECT_EQ(thought_, "I should tile");
  answer({text("<think>\nlong "), text("thought</think>\n\ncode"), chunk(Json::object(), "stop"),
          kDone});
  reply = ask();
  EXPECT_EQ(reply->text, "code");
  EXPECT_EQ(reply->thinking, "long thought");
  answer({text("thought\n</think>\ncode"), chunk(Json::object(), "stop"), kDone});
  reply = ask();
  EXPECT_EQ(reply->text, "code");
  EXPECT_EQ(reply->thinking, "thought");
}

TEST_F(OpenAi, JoinsContentThatComesInTypedParts) {
  const auto parts = [](const char* content) { return chunk({{"content", Json::parse(content)}}); };
  answer({parts(R"([{"type":"thinking","thinking":[{"type":"text","text":"I should "}]},)"
                R"({"type":"reasoning","text":"tile"}])"),
          parts(R"([{"type":"text","text":"Hello "},{"type":"image_url"}])"),
          parts(R"([{"type":"text","text":"world"}])"), chunk(Json::object(), "stop"), kDone});
  const auto reply = ask();
  ASSERT_TRUE(reply) << describe(reply.error());
  EXPECT_EQ(reply->text, "Hello world");
  EXPECT_EQ(reply->thinking, "I should tile");
  answer({parts(R"([{"type":"refusal","refusal":"I cannot."}])"), chunk(Json::object(), "stop"),
          kDone});
  EXPECT_EQ(ask()->stop, StopReason::Refusal);
}

TEST_F(OpenAi, TellsRefusalFilterLengthEmptinessAndToolNoise) {
  answer({chunk({{"refusal", "I cannot."}}), chunk(Json::object(), "stop"), kDone});
  auto reply = ask();
  EXPECT_EQ(reply->stop, StopReason::Refusal);
  EXPECT_THAT(why_unusable(*reply), HasSubstr("refused: I cannot."));
  answer({text("so"), chunk(Json::object(), "content_filter"), kDone});
  EXPECT_THAT(why_unusable(*ask()), HasSubstr("content filter"));
  answer({text("half a kern"), chunk(Json::object(), "length"), kUsage, kDone});
  EXPECT_THAT(why_unusable(*ask()), HasSubstr("cut off after 20 tokens"));
  answer({chunk(Json::object(), "stop"), kDone});
  EXPECT_EQ(why_unusable(*ask()), "the reply is empty");
  const Json tool = {
      {"tool_calls", {{{"index", 0}, {"function", {{"name", "run"}, {"arguments", "{"}}}}}},
      {"content", nullptr}};
  answer({chunk(tool), chunk(tool), chunk(Json::object(), "tool_calls"), kDone});
  EXPECT_THAT(why_unusable(*ask()), HasSubstr("called a tool"));
  answer({text("code"), chunk(tool), chunk(Json::object(), "tool_calls"), kDone});
  reply = ask();
  EXPECT_EQ(reply->text, "code");
  EXPECT_EQ(why_unusable(*reply), "");
}

TEST_F(OpenAi, EstimatesTokensThatTheServerDoesNotCount) {
  answer({text(std::string(350, 'x')), chunk(Json::object(), "stop"), kDone});
  const auto reply = ask();
  EXPECT_TRUE(reply->usage.is_estimated);
  EXPECT_EQ(reply->usage.completion_tokens, 100);
}

TEST_F(OpenAi, AStreamThatIsCutMayBeAskedAgainAndCosts) {
  const std::vector<std::pair<std::string, std::string>> cuts = {
      {text("half"), "end"}, {": only comments\n\n", "no event"}};
  for (const auto& [piece, about] : cuts) {
    answer({piece});
    const auto reply = ask();
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().advice, Advice::Retry);
    EXPECT_THAT(reply, IsErrorAbout(ErrorCode::BrokenReply, about));
    EXPECT_GT(call_.report.spent.prompt_tokens, 0);
  }
  server_.add({.pieces = {text("half")}, .end = TestAnswer::End::Cut});
  const auto reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().advice, Advice::Retry);
  EXPECT_THAT(reply, IsErrorAbout(ErrorCode::BrokenReply, "connection"));
  EXPECT_GT(call_.report.spent.completion_tokens, 0);
}

TEST_F(OpenAi, AnEventThatCannotBeReadLeavesNoSilentHole) {
  const std::string half = R"(data: {"choices":[{"index":0,"delta":{"content":"float* x, )";
  for (const std::string& damaged : {half + "\n\n", std::string("data: gateway\n\n")}) {
    answer({text("void f("), damaged, text("int n) {}"), chunk(Json::object(), "stop"), kDone});
    const auto reply = ask();
    ASSERT_FALSE(reply) << reply->text;
    EXPECT_EQ(reply.error().advice, Advice::Retry);
    EXPECT_THAT(reply, IsErrorAbout(ErrorCode::BrokenReply, "event"));
  }
  answer({text("half"), half});  // the stream ends inside an event
  EXPECT_EQ(ask().error().advice, Advice::Retry);
  answer({text("whole"), "data:\n\n", "data:  \n\n", chunk(Json::object(), "stop"), kDone});
  EXPECT_EQ(ask()->text, "whole");
}

TEST_F(OpenAi, ErrorsInsideTheStreamEndIt) {
  answer({text("half"), R"(data: {"error":{"message":"engine overloaded","type":"server_error"}})"
                        "\n\n"});
  const auto reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().advice, Advice::Retry);
  EXPECT_THAT(reply, IsError(ErrorCode::ServerFailed));
}

TEST_F(OpenAi, ErrorsUnder200CountAsTheirStatus) {
  struct Case {
    const char* error;
    Advice advice;
    ErrorCode code;
    const char* about;
    ServerHint hint = ServerHint::None;
  };
  for (const Case& c :
       {Case{R"({"message":"You exceeded your current quota","code":"insufficient_quota"})",
             Advice::Stop, ErrorCode::NoCredit, ""},
        Case{R"({"message":"No endpoints found for m","code":404})", Advice::Stop,
             ErrorCode::NoModel, "", ServerHint::CheckName},
        Case{R"({"message":"bad key","type":"invalid_request_error","code":"invalid_api_key"})",
             Advice::Stop, ErrorCode::BadKey, "", ServerHint::CheckKey},
        Case{R"({"message":"no such field","type":"invalid_request_error"})", Advice::GiveUp,
             ErrorCode::Refused, "no such field"},
        Case{R"({"message":"slow down","code":"429"})", Advice::Retry, ErrorCode::TooManyRequests,
             ""}}) {
    const std::string body = std::string(R"({"error":)") + c.error + "}";
    for (const bool is_streamed : {true, false}) {
      answer(is_streamed ? std::vector{text("half"), "data: " + body + "\n\n"} : std::vector{body});
      const auto reply = ask();
      ASSERT_FALSE(reply) << body;
      EXPECT_EQ(reply.error().advice, c.advice) << body;
      EXPECT_THAT(reply, IsErrorAbout(c.code, c.about)) << body;
      EXPECT_EQ(hint_in(reply), c.hint) << body;
    }
  }
  answer({R"(data: {"error":{"message":"'temperature' is not supported","code":400}})"
          "\n\n"});
  answer({text("ok"), chunk(Json::object(), "stop"), kDone});
  EXPECT_EQ(ask()->text, "ok");
}

TEST_F(OpenAi, PlainTextWith200IsNoStreamAndIsShown) {
  for (const std::string words :
       {"database gone", "error 17", "internal failure", "retry later", "da", "\xEF\xBB\xBFidle"}) {
    answer({words.substr(0, 1), words.substr(1)});
    const auto reply = ask();
    ASSERT_FALSE(reply) << words;
    EXPECT_EQ(reply.error().advice, Advice::Stop);
    EXPECT_THAT(reply,
                IsErrorAbout(ErrorCode::BrokenReply, HasSubstr(words.substr(words.size() - 2))));
  }
  answer({":-( out of order"});
  const auto reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().advice, Advice::Retry);
  EXPECT_THAT(reply, IsErrorAbout(ErrorCode::BrokenReply, "no event"));
  EXPECT_THAT(reply, Not(IsErrorWithout(":-( out of order"))) << "the body is shown";
}

struct Refusal {
  int status;
  const char* body;
  Advice advice;
  ErrorCode code;
  const char* about;
  ServerHint hint = ServerHint::None;
};

TEST_F(OpenAi, EveryRefusalIsOneClearLine) {
  const std::vector<Refusal> refusals = {
      {429, R"({"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}})",
       Advice::Retry, ErrorCode::TooManyRequests, ""},
      {429,
       R"({"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}})",
       Advice::Stop, ErrorCode::NoCredit, ""},
      {500, "oops", Advice::Retry, ErrorCode::ServerFailed, ""},
      {502, "<html><head><title>502 Bad\nGateway</title></head></html>", Advice::Retry,
       ErrorCode::ServerFailed, ""},
      {503, R"({"error":"model is loading"})", Advice::Retry, ErrorCode::ServerFailed, ""},
      {529, "", Advice::Retry, ErrorCode::ServerFailed, ""},
      {401,
       R"({"error":{"message":"Incorrect API key provided: sk-secre***************key1. You can"}})",
       Advice::Stop, ErrorCode::BadKey, "", ServerHint::CheckKey},
      {404, R"({"error":{"message":"The model `m` does not exist","code":"model_not_found"}})",
       Advice::Stop, ErrorCode::NoModel, "", ServerHint::CheckName},
      {400, R"({"object":"error","message":"maximum context length is 8192 tokens","code":400})",
       Advice::GiveUp, ErrorCode::Refused, "maximum context length is N tokens",
       ServerHint::LowerTokens},
      {422, R"({"detail":[{"loc":["body","messages"],"msg":"field required"}]})", Advice::GiveUp,
       ErrorCode::Refused, "field required (messages)"},
      {413, "\x01\x02 too big", Advice::GiveUp, ErrorCode::Refused, "\\x01\\x02 too big",
       ServerHint::ShortenPrompt},
  };
  for (const Refusal& refusal : refusals) {
    server_.add({.status = refusal.status,
                 .pieces = {refusal.body},
                 .headers = {{"Retry-After", "2"}},
                 .is_buffered = true});
    const auto reply = ask();
    ASSERT_FALSE(reply) << refusal.body;
    EXPECT_EQ(reply.error().advice, refusal.advice) << refusal.body;
    EXPECT_THAT(reply, IsErrorAbout(refusal.code, refusal.about)) << refusal.body;
    EXPECT_EQ(hint_in(reply), refusal.hint) << refusal.body;
    EXPECT_THAT(reply, AllOf(IsErrorWithout("\n"), IsErrorWithout("sk-secre")));
    EXPECT_EQ(call_.report.retry_after, std::chrono::seconds(2));
    EXPECT_EQ(call_.report.spent, Usage{});
  }
}

TEST_F(OpenAi, AWebPageWith200IsNoReply) {
  server_.add({.content_type = "text/html",
               .pieces = {"<!doctype html><title>Sign in</title>"},
               .is_buffered = true});
  auto reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply, IsErrorAbout(ErrorCode::BrokenReply, "a web page titled 'Sign in'"));
  EXPECT_EQ(reply.error().advice, Advice::Stop);
  server_.add({.pieces = {R"({"hello":"world"})"}, .is_buffered = true});
  reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply, IsErrorAbout(ErrorCode::BrokenReply, "choices"));
  server_.add({.pieces = {"  \n"}, .is_buffered = true});
  reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply, IsErrorAbout(ErrorCode::BrokenReply, "body"));
}

TEST_F(OpenAi, ARedirectIsNotFollowedWithTheKey) {
  net::TestServer elsewhere;
  server_.add({.status = 307,
               .headers = {{"Location", elsewhere.url() + "/v1/chat/completions?token=1"}},
               .is_buffered = true});
  const auto reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply, IsErrorAbout(ErrorCode::NoModel, elsewhere.url() + "/v1/chat/completions"));
  EXPECT_THAT(reply, IsErrorWithout("token"));
  EXPECT_EQ(hint_in(reply), ServerHint::GiveFinalAddress);
  EXPECT_EQ(reply.error().advice, Advice::Stop);
  EXPECT_THAT(elsewhere.requests(), IsEmpty());
}

TEST_F(OpenAi, HangsHugeLinesAndCommentFloodsEnd) {
  timeouts_.idle = std::chrono::milliseconds(30);
  timeouts_.total = std::chrono::milliseconds(120);
  model_ = model();
  server_.add({.pieces = {text("half")}, .end = TestAnswer::End::Hang});
  auto reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply, IsErrorAbout(ErrorCode::TimedOut, "idle"));
  server_.add({.pieces = {": keep-alive\n\n"}, .end = TestAnswer::End::Flood});
  reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply, IsErrorAbout(ErrorCode::TimedOut, "total"));
  timeouts_ = {};
  model_ = model();
  server_.add({.pieces = {"data: " + std::string(17 << 20, 'x')}});
  reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply, IsErrorAbout(ErrorCode::TooLarge, "line"));
}

TEST_F(OpenAi, AFloodOfTextEndsAndIsChargedNoMoreThanWasAllowed) {
  answer({text(std::string(70'000, 'x')), ": the rest is cut off"});
  ASSERT_FALSE(ask());  // 70,000 bytes are estimated as 20,000 tokens
  EXPECT_EQ(call_.report.spent.completion_tokens, request_.max_tokens);
  server_.add({.pieces = {text(std::string(20'000, 'x'))}, .end = TestAnswer::End::Flood});
  const auto reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().advice, Advice::GiveUp);
  EXPECT_THAT(reply, IsErrorAbout(ErrorCode::BrokenReply, "max_tokens"));
  EXPECT_EQ(call_.report.spent.completion_tokens, request_.max_tokens);
}

TEST_F(OpenAi, LeavesOutWhatTheServerRejectsAndRemembersIt) {
  const auto reject = [&](const char* param, const std::string& message) {
    server_.add({.status = 400,
                 .pieces = {Json{{"error", {{"message", message}, {"param", param}}}}.dump()},
                 .is_buffered = true});
  };
  reject("temperature", "Unsupported value: 'temperature' does not support 0.5 with this model.");
  reject("stream_options", "unknown field");
  reject("max_tokens",
         "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
         "'max_completion_tokens' instead.");
  reject("max_tokens",
         "max_tokens is too large: 500. This model supports at most 300 completion tokens");
  answer({text("ok"), chunk(Json::object(), "stop"), kDone});
  ASSERT_TRUE(ask());
  EXPECT_THAT(notices_,
              ElementsAre(HasSubstr("rejects a temperature"), HasSubstr("stream_options"),
                          HasSubstr("as max_completion_tokens"), HasSubstr("at most 300 tokens")));
  answer({text("ok"), chunk(Json::object(), "stop"), kDone});
  ASSERT_TRUE(ask());
  ASSERT_EQ(server_.requests().size(), 6u);  // no request was refused again
  const Json body = Json::parse(server_.requests().back().body);
  EXPECT_FALSE(body.contains("temperature"));
  EXPECT_FALSE(body.contains("stream_options"));
  EXPECT_FALSE(body.contains("max_tokens"));
  EXPECT_EQ(body["max_completion_tokens"], 300);

  reject("temperature", "temperature again, for no reason");
  EXPECT_FALSE(ask());  // each change is made only once
}

TEST_F(OpenAi, EffortIsSentAndGivenUp) {
  request_.effort = "high";
  server_.add(
      {.status = 400,
       .pieces = {R"({"error":{"message":"Unrecognized request argument: reasoning_effort"}})"},
       .is_buffered = true});
  answer({text("ok"), chunk(Json::object(), "stop"), kDone});
  ASSERT_TRUE(ask());
  EXPECT_EQ(Json::parse(server_.requests()[0].body)["reasoning_effort"], "high");
  EXPECT_FALSE(Json::parse(server_.requests()[1].body).contains("reasoning_effort"));
}

TEST_F(OpenAi, EmbedsInTheOrderAsked) {
  const auto embeddings = make_openai_embeddings(endpoint());
  server_.add({.content_type = "application/json",
               .pieces = {R"({"model":"e","data":[{"index":1,"embedding":[3,4]},)"
                          R"({"index":0,"embedding":[1,2.5]}],"usage":{"prompt_tokens":7}})"},
               .is_buffered = true});
  const auto got = embeddings->embed({"a", "b"}, call_);
  ASSERT_TRUE(got) << describe(got.error());
  EXPECT_THAT(got->vectors, ElementsAre(ElementsAre(1, 2.5F), ElementsAre(3, 4)));
  EXPECT_EQ(got->usage.prompt_tokens, 7);
  for (const char* bad :
       {R"({"data":[{"index":5,"embedding":[1]}]})", R"({"data":[{"embedding":[1]}]})",
        R"({"data":[{"index":0,"embedding":["x"]},{"index":1,"embedding":[1]}]})", R"({"data":7})",
        "[]"}) {
    server_.add({.pieces = {bad}, .is_buffered = true});
    EXPECT_FALSE(embeddings->embed({"a", "b"}, call_)) << bad;
  }
}

TEST_F(OpenAi, AnErrorInThePlaceOfEmbeddingsIsTheServersError) {
  const auto embeddings = make_openai_embeddings(endpoint());
  const auto error_of = [&](const std::string& body) {
    server_.add({.content_type = "application/json", .pieces = {body}, .is_buffered = true});
    return embeddings->embed({"a"}, call_).error();
  };
  const Error limit = error_of(R"({"error":{"message":"Slow down","code":"rate_limit_exceeded"}})");
  EXPECT_EQ(limit.advice, Advice::Retry);
  EXPECT_THAT(limit, IsError(ErrorCode::TooManyRequests));
  EXPECT_EQ(error_of(R"({"error":{"message":"No","type":"authentication_error"}})").advice,
            Advice::Stop);
  const Error old = error_of(R"({"object":"error","message":"too long","code":400})");
  EXPECT_EQ(old.advice, Advice::GiveUp);
  EXPECT_THAT(old, IsErrorAbout(ErrorCode::Refused, "too long"));
}

TEST_F(OpenAi, EmbeddingsAreAskedForAgainAndEnd) {
  timeouts_.idle = std::chrono::milliseconds(30);
  RetryEmbeddings embeddings(make_openai_embeddings(endpoint()), {}, clock_, Seed::from_number(1),
                             nullptr);
  const std::string good =
      R"({"model":"e","data":[{"index":0,"embedding":[1,2]}],"usage":{"prompt_tokens":7}})";
  const std::string limit = R"({"error":{"message":"Rate limit","code":"rate_limit_exceeded"}})";
  server_.add(
      {.status = 429, .pieces = {limit}, .headers = {{"Retry-After", "20"}}, .is_buffered = true});
  server_.add({.status = 500, .pieces = {"oops"}, .is_buffered = true});
  server_.add({.pieces = {good.substr(0, 30)}, .end = TestAnswer::End::Cut});
  server_.add({.pieces = {good.substr(0, 30)}, .end = TestAnswer::End::Hang});
  server_.add({.content_type = "application/json", .pieces = {good}, .is_buffered = true});
  const auto got = embeddings.embed({"a"}, call_);
  ASSERT_TRUE(got) << describe(got.error());
  EXPECT_THAT(got->vectors, ElementsAre(ElementsAre(1, 2)));
  EXPECT_EQ(server_.requests().size(), 5u);
  EXPECT_EQ(notices_.size(), 4u);
  EXPECT_GE(clock_.now_ns(), 20'000'000'000) << "as long as the server asked for";
  server_.add({.status = 401, .pieces = {"{}"}, .is_buffered = true});
  EXPECT_EQ(embeddings.embed({"a"}, call_).error().advice, Advice::Stop);
  EXPECT_EQ(server_.requests().size(), 6u) << "what cannot pass is not asked again";
}

}  // namespace
}  // namespace kw::llm
