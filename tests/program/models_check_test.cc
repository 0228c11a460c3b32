// Tests of kw models --check, and of dates of prices wherever dollars are shown.
// SPDX-License-Identifier: Apache-2.0
#include "kw.h"
#include "model_server.h"

namespace kw::program {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kUnseenKey = "sk-a-key-that-nobody-may-see";

class ModelsCheck : public testing::Test {
 protected:
  void SetUp() override {
    w_.write("data/models/prices.yaml",
             "groups:\n  - provider: openai\n    base_url: " + server_.base_url() +
                 "\n    as_of: 2026-01-01\n    source: the test\n"
                 "    models:\n      test-model: { prompt: 10, completion: 50 }\n");
  }
  Ran check(const Words& more = {}) const {
    Words words{"models",  "--check",           "--data-dir", "data",
                "--model", "openai:test-model", "--base-url", server_.base_url()};
    words.insert(words.end(), more.begin(), more.end());
    return w_.kw(words, {"OPENAI_API_KEY=" + kUnseenKey});
  }
  void refuse(int status, const std::string& message, const std::string& code) {
    server_.add(
        {.status = status,
         .pieces = {nlohmann::json{{"error", {{"message", message}, {"code", code}}}}.dump()},
         .is_buffered = true});
  }
  Workspace w_;
  ModelServer server_;
};

TEST_F(ModelsCheck, AsksForOneTokenAndSaysWhatItCost) {
  server_.reply("ok");
  const Ran ran = check();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("ok: test-model-2026-01-01 answered in"),
                             HasSubstr("1200 tokens, $0.020000 at prices of 2026-01-01")));
  EXPECT_EQ(server_.body(0)["max_tokens"], 1);
}

TEST_F(ModelsCheck, SaysInWordsWhatIsWrongAndEndsWithOne) {
  refuse(401, "Incorrect API key provided: " + kUnseenKey, "invalid_api_key");
  const Ran key = check();
  EXPECT_EQ(key.code, 1);
  EXPECT_THAT(key.out, AllOf(HasSubstr("wrong key: "), HasSubstr("OPENAI_API_KEY"),
                             Not(HasSubstr(kUnseenKey))));
  refuse(404, "The model `test-model` does not exist", "model_not_found");
  EXPECT_THAT(check().out, HasSubstr("unknown model: "));
  refuse(429, "You exceeded your current quota", "insufficient_quota");
  const Ran quota = check();
  EXPECT_EQ(quota.code, 1);
  EXPECT_THAT(quota.out, HasSubstr("the account has no credit or quota left: "));
  EXPECT_EQ(server_.calls(), 3u) << "nothing is retried";
}

TEST_F(ModelsCheck, EndsWithThreeWhereTroubleMayPass) {
  const Ran nobody = w_.kw({"models", "--check", "--model", "openai:m@http://127.0.0.1:9/v1"});
  EXPECT_EQ(nobody.code, 3);
  EXPECT_THAT(nobody.out, HasSubstr("no answer: "));
  refuse(503, "overloaded", "");
  EXPECT_EQ(check().code, 3);
}

TEST_F(ModelsCheck, IsOneObjectUnderJson) {
  refuse(401, "no", "invalid_api_key");
  const Ran ran = check({"--json"});
  EXPECT_EQ(ran.code, 1);
  const auto told = ran.json()["models"][0]["check"];
  EXPECT_EQ(told["trouble"], "key");
  EXPECT_EQ(told["is_good"], false);
}

TEST_F(ModelsCheck, WantsAModel) {
  const Ran ran = w_.kw({"models", "--check"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--check needs a model"));
}

TEST_F(ModelsCheck, PricesCarryTheirDays) {
  const Ran listed = w_.kw({"models", "--data-dir", "data", "--model", "openai:test-model",
                            "--base-url", server_.base_url()});
  EXPECT_THAT(listed.out, HasSubstr("out as of 2026-01-01"));
  const Ran estimated =
      w_.kw({"estimate", "saxpy", "--model", "openai:gpt-4.1", "--prompt-bytes", "1000"});
  EXPECT_EQ(estimated.code, 0) << estimated.err;
  EXPECT_THAT(estimated.out, HasSubstr("dollars are computed at prices of 20"));
}

}  // namespace
}  // namespace kw::program
