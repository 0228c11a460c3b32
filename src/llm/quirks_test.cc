// Tests of what is learnt from refusals in the wording of real servers.
// SPDX-License-Identifier: Apache-2.0
#include "llm/quirks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error_for_test.h"
#include "llm/estimate.h"
#include "llm/openai.h"
#include "llm/test_support.h"

namespace kw::llm {
namespace {

using testing::HasSubstr;

ServerError refusal(const std::string& message, int status = 400) {
  ServerError error;
  error.status = status;
  error.message = message;
  return error;
}

/// A question of `tokens` tokens with `bytes_per_token` bytes each.
ChatRequest question(std::size_t tokens, std::size_t bytes_per_token) {
  ChatRequest request;
  request.messages = {{ChatRole::System, ""}, {ChatRole::User, ""}};
  request.messages.back().text.assign(tokens * bytes_per_token - bytes_of(request), 'x');
  return request;
}

TEST(Quirks, TheContextThatARefusalStatesBoundsTheReply) {
  for (const char* words :
       {"This model's maximum context length is 16384 tokens. However, you requested 24284 tokens "
        "(7900 in the messages, 16384 in the completion). Please reduce the length of the messages "
        "or completion.",
        "'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum context "
        "length is 16384 tokens and your request has 7900 input tokens (16384 > 16384 - 7900). "
        "(parameter=max_tokens, value=16384)",
        "This endpoint's maximum context length is 16384 tokens. However, you requested about "
        "24284 tokens (7900 of text input, 16384 in the output).",
        "Requested token count exceeds the model's maximum context length of 16384 tokens. You "
        "requested a total of 24284 tokens: 7900 tokens from the input messages and 16384 tokens "
        "for the completion.",
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 16384. Given: 7900 "
        "`inputs` tokens and 16384 `max_new_tokens`",
        "input length and `max_tokens` exceed context limit: 7900 + 16384 > 16384, decrease input "
        "length or `max_tokens` and try again"}) {
    Quirks quirks;
    const ChatRequest request = question(7900, 3);
    const auto notice = adapt(refusal(words), request, quirks);
    ASSERT_TRUE(notice) << words;
    EXPECT_THAT(*notice, HasSubstr("16384 tokens"));
    const std::int64_t bound = reply_bound(request, quirks);
    EXPECT_LE(7900 + bound, 16384) << words;
    EXPECT_GE(7900 + bound, 16384 - 200) << words;
    EXPECT_GT(reply_bound(question(3000, 3), quirks), 13000) << "a shorter prompt leaves more";
    EXPECT_LE(reply_bound(question(12000, 3), quirks), 4384) << "a longer one less";
    EXPECT_GE(reply_bound(question(90000, 3), quirks), 1) << "one that does not fit is refused";
  }
}

class QuirksOfAServer : public ProviderTest {
 protected:
  QuirksOfAServer() : ProviderTest("openai:m") {}
  void refuse(const std::string& message) {
    server_.add({.status = 400,
                 .pieces = {Json{{"error", {{"message", message}, {"code", 400}}}}.dump()},
                 .is_buffered = true});
  }
  void answer() {
    server_.add({.pieces = {R"(data: {"choices":[{"delta":{"content":"ok"},)"
                            R"("finish_reason":"stop"}]})"
                            "\n\n"}});
  }
  Json sent() const { return Json::parse(server_.requests().back().body); }
  std::unique_ptr<ChatModel> model_ = make_openai_chat(endpoint());
};

TEST_F(QuirksOfAServer, AContextIsLearntOnceForAllLaterRequests) {
  request_ = question(7900, 3);
  refuse(
      "This model's maximum context length is 16384 tokens. However, you requested 24284 tokens "
      "(7900 in the messages, 16384 in the completion).");
  answer();
  ASSERT_TRUE(model_->complete(request_, call_));
  EXPECT_EQ(sent()["max_tokens"], 16384 - 7900 - 7900 / 50 - 32);
  EXPECT_THAT(notices_, testing::ElementsAre(HasSubstr("share a context of 16384 tokens")));
  answer();
  ASSERT_TRUE(model_->complete(request_, call_));
  EXPECT_LT(sent()["max_tokens"], 16384 - 7900);
  EXPECT_EQ(server_.requests().size(), 3u);
  refuse("the request exceeds the available context size (4096 tokens)");
  const auto reply = model_->complete(request_, call_);
  EXPECT_THAT(reply, IsErrorAbout(ErrorCode::Refused,
                                  "the request exceeds the available context size (N tokens)"));
  EXPECT_EQ(hint_in(reply), ServerHint::LowerTokens);
}

TEST_F(QuirksOfAServer, ASystemMessageThatIsRejectedMovesIntoTheFirstUserMessage) {
  refuse("System role not supported");
  answer();
  ASSERT_TRUE(model_->complete(request_, call_));
  ASSERT_EQ(sent()["messages"].size(), 1u);
  EXPECT_EQ(sent()["messages"][0]["role"], "user");
  EXPECT_EQ(sent()["messages"][0]["content"], "rules\n\nquestion");
  EXPECT_THAT(notices_, testing::ElementsAre(HasSubstr("takes no system message")));
  answer();
  ASSERT_TRUE(model_->complete(request_, call_));
  EXPECT_EQ(server_.requests().size(), 3u);
}

TEST(Quirks, AllWordsForASystemMessageThatIsRejectedAreKnown) {
  for (const auto& [status, words] :
       {std::pair{500, "Jinja Exception: System role not supported"},
        {400, "Conversation roles must alternate user/assistant/user/assistant/..."},
        {400, "Unsupported value: 'messages[0].role' does not support 'system' with this model."},
        {422, "system messages are not supported by this model"}}) {
    Quirks quirks;
    EXPECT_TRUE(adapt(refusal(words, status), question(100, 3), quirks)) << words;
    EXPECT_FALSE(quirks.takes_system);
    ChatRequest plain = question(100, 3);
    plain.messages.erase(plain.messages.begin());
    quirks = {};
    EXPECT_FALSE(adapt(refusal(words, status), plain, quirks)) << "there is none to move";
  }
  Quirks quirks;
  EXPECT_FALSE(adapt(refusal("the system is overloaded", 500), question(100, 3), quirks));
}

TEST(Quirks, AnAnswerThatKeepsRefusingEnds) {
  // vLLM counts a prompt only as far as it must to refuse the request.
  const char* words =
      "This model's maximum context length is 32768 tokens. However, you requested 16384 output "
      "tokens and your prompt contains at least 16385 input tokens, for a total of at least 32769 "
      "tokens.";
  Quirks quirks;
  const ChatRequest request = question(28000, 3);
  int tries = 0;
  while (adapt(refusal(words), request, quirks)) ASSERT_LT(++tries, 10);
  EXPECT_EQ(tries, 4);  // the bounds 8192, 4096, 2048 and 1024 were tried
  EXPECT_LE(reply_bound(request, quirks), 1100);
}

TEST(Quirks, APromptThatLeavesNoRoomIsNoQuirk) {
  Quirks quirks;
  for (const char* words :
       {"This model's maximum context length is 8192 tokens. However, your messages resulted in "
        "9000 tokens. Please reduce the length of the messages.",
        "This model's maximum context length is 8192 tokens. However, you requested 24384 tokens "
        "(8000 in the messages, 16384 in the completion).",
        "the request exceeds the available context size (4096 tokens), try increasing it"})
    EXPECT_FALSE(adapt(refusal(words), question(8000, 3), quirks)) << words;
  EXPECT_EQ(quirks, Quirks());
}

}  // namespace
}  // namespace kw::llm
