// Tests of kw optimize --embed: the cost of embeddings counts, and an unknown price is reported.
// SPDX-License-Identifier: Apache-2.0
#include "kw.h"
#include "model_server.h"
#include "replies.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Embed : public testing::Test {
 protected:
  void SetUp() override {
    write_known_task(w_);
    // The kernel is so much slower than the baseline that a few pairs of calls show it.
    w_.write("replies.txt", "===\n" + reply_of(slow_twice(112, "plain")));
    w_.write("data/models/prices.yaml",
             "groups:\n  - provider: openai\n    base_url: " + server_.base_url() +
                 "\n    as_of: 2026-01-01\n    source: the test\n"
                 "    models: { vectors: { embedding: 1000 } }\n");
  }
  Ran optimize(const std::string& embedder, const Words& more = {}) const {
    Words words{"optimize",   "twice",      "--model",          "scripted:replies.txt", "--embed",
                embedder,     "--base-url", server_.base_url(), "--data-dir",           "data",
                "--attempts", "1",          "--from-scratch",   "--freeze-memory"};
    words.insert(words.end(), more.begin(), more.end());
    return w_.kw(words);
  }
  /// A server's reply with one embedding vector for each of so many texts.
  static net::TestAnswer vectors(std::size_t texts) {
    json data = json::array();
    for (std::size_t i = 0; i < texts; ++i) data.push_back({{"index", i}, {"embedding", {1, 2}}});
    net::TestAnswer answer;
    answer.content_type = "application/json";
    answer.pieces = {json{{"data", data}, {"usage", {{"prompt_tokens", 70}}}}.dump()};
    return answer;
  }

  Workspace w_{Whose::Suite};
  ModelServer server_;
};

TEST_F(Embed, WhatVectorsCostCountsWithTheRun) {
  server_.add({.status = 400, .pieces = {"no"}});
  const Ran without = optimize("openai:vectors");
  if (lacks_jail(without)) GTEST_SKIP() << without.err;
  ASSERT_LT(without.code, 2) << without.err;
  EXPECT_THAT(without.err, HasSubstr("knowledge is ranked by words alone"));
  const std::size_t texts = server_.body(0)["input"].size();
  ASSERT_GT(texts, 1U);
  server_.add(vectors(texts));
  const Ran with = optimize("openai:vectors", {"--usd", "5", "--json"});
  ASSERT_LT(with.code, 2) << with.err;
  EXPECT_THAT(with.err, Not(HasSubstr("by words alone")));
  EXPECT_THAT(with.err, Not(HasSubstr("price unknown")));
  EXPECT_EQ(server_.body(1)["model"], "vectors");
  const json told = with.json();
  EXPECT_DOUBLE_EQ(told["spent"]["usd"].get<double>(), 0.07) << told["spent"];
  EXPECT_EQ(told["spent"]["unpriced"], 0);
  const json kept = w_.kw({"runs", "--json"}).json()["runs"][1]["config"]["prices"];
  EXPECT_EQ(kept[0]["model"], "vectors") << "kept with the run";
}

TEST_F(Embed, APriceThatNobodyKnowsIsSaidAndBoundsNoDollars) {
  const Ran refused = optimize("openai:others", {"--usd", "5"});
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("--usd needs a price"), HasSubstr("openai:others")));
  server_.add({.status = 400, .pieces = {"no"}});
  const Ran told = optimize("openai:others");
  if (lacks_jail(told)) GTEST_SKIP() << told.err;
  EXPECT_THAT(told.err, HasSubstr("openai:others@" + server_.base_url() +
                                  ": the model's price is not known"));
  const json listed = w_.kw({"models", "--json", "--data-dir", "data", "--embed", "openai:vectors",
                             "--base-url", server_.base_url()})
                          .json()["models"][0];
  EXPECT_EQ(listed["role"], "embed");
  EXPECT_EQ(listed["price"]["prompt_usd"], 1000);
}

}  // namespace
}  // namespace kw::program
