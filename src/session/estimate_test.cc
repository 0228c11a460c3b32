// Tests of the estimate of a run's cost, for given sizes of the first prompt.
// SPDX-License-Identifier: Apache-2.0
#include "session/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_for_test.h"
#include "platform/files.h"

namespace kw::session {
namespace {

class EstimateTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.workspace = dir_.path().string();
    options_.data_dir = (dir_.path() / "data").string();
    std::filesystem::create_directories(dir_.path() / "data/models");
    ASSERT_TRUE(platform::write_file_atomic(dir_.path() / "data/models/prices.yaml", kPrices));
    request_.strategy = "refine";
    request_.attempts = 10;
    request_.prompt_bytes = 3500;
  }

  llm::ModelSpec spec(const std::string& text) {
    return llm::parse_model_spec(text).value_or(llm::ModelSpec());
  }
  Result<Estimate> estimate(const std::vector<std::string>& models) {
    for (const std::string& text : models) request_.models.push_back(spec(text));
    return estimate_cost(options_, request_);
  }

  /// A dollar for a million tokens of a prompt, and two for a million of a reply.
  static constexpr std::string_view kPrices = R"(groups:
  - provider: openai
    as_of: 2026-01-01
    source: this test
    models:
      dear: { prompt: 1, completion: 2 }
)";
  platform::TempDir dir_ = std::move(platform::TempDir::create("kw-estimate").value());
  Options options_;
  EstimateRequest request_;
};

TEST_F(EstimateTest, CountsOneCallForEachKernel) {
  request_.shortlist = 3;
  const auto all = estimate({"openai:dear"});
  ASSERT_TRUE(all) << describe(all.error());
  ASSERT_EQ(all->models.size(), 1U);
  EXPECT_EQ(all->models[0].calls, 30);
  EXPECT_EQ(all->models[0].cost.likely.prompt_tokens, 30 * llm::likely_tokens(3500));
  EXPECT_EQ(all->prompt_bytes, 3500U);
  EXPECT_EQ(all->total.likely.total(), all->models[0].cost.likely.total());
}

TEST_F(EstimateTest, KnowsDollarsWhereAllPricesAreKnown) {
  const auto priced = estimate({"openai:dear"});
  ASSERT_TRUE(priced) << describe(priced.error());
  const llm::CostEstimate& total = priced->total;
  ASSERT_TRUE(total.likely_usd.has_value());
  const auto& tokens = total.likely;
  EXPECT_NEAR(*total.likely_usd,
              (static_cast<double>(tokens.prompt_tokens) +
               2 * static_cast<double>(tokens.completion_tokens)) /
                  1e6,
              1e-9);
  const auto mixed = estimate({"openai:no-such-model"});
  ASSERT_TRUE(mixed) << describe(mixed.error());
  EXPECT_FALSE(mixed->models[1].price.has_value());
  EXPECT_FALSE(mixed->total.likely_usd.has_value());
}

TEST_F(EstimateTest, ModelsThatWriteShareTheAttempts) {
  const auto one = estimate({"openai:dear"});
  const auto two = estimate({"openai:dear"});
  ASSERT_TRUE(one && two);
  ASSERT_EQ(two->models.size(), 2U);
  EXPECT_EQ(two->total.worst.total(), one->total.worst.total());
}

TEST_F(EstimateTest, AModelInARoleIsAddedToTheWriters) {
  request_.strategy = "coder-judge";
  const auto all = estimate({"openai:dear", "judge=openai:dear"});
  ASSERT_TRUE(all) << describe(all.error());
  ASSERT_EQ(all->models.size(), 2U);
  EXPECT_EQ(all->models[1].spec.role, "judge");
  EXPECT_EQ(all->models[1].calls, 10);
  EXPECT_EQ(all->total.likely.total(),
            all->models[0].cost.likely.total() + all->models[1].cost.likely.total());
}

TEST_F(EstimateTest, WritersTakeTheRolesThatHaveNoModel) {
  request_.strategy = "coder-judge";
  const auto alone = estimate({"openai:dear"});
  ASSERT_TRUE(alone) << describe(alone.error());
  EXPECT_EQ(alone->models[0].calls, 20);
}

TEST_F(EstimateTest, NoPromptIsLongerThanItsBoundUnlessTheFirstIs) {
  request_.prompt_tokens = 1000;
  const auto usual = estimate({"openai:dear"});
  ASSERT_TRUE(usual) << describe(usual.error());
  EXPECT_EQ(usual->longest_prompt_bytes, 3500U);
  request_.prompt_bytes = 9000;
  const auto longer = estimate({});
  ASSERT_TRUE(longer) << describe(longer.error());
  EXPECT_EQ(longer->longest_prompt_bytes, 9000U);
}

TEST_F(EstimateTest, RefusesWhatARunWouldRefuse) {
  request_.strategy = "greedy";
  EXPECT_THAT(estimate({"openai:dear"}), IsErrorAbout(ErrorCode::Unsupported, "greedy"));
  request_.strategy = "refine";
  request_.models.clear();
  EXPECT_THAT(estimate({"judge=openai:dear"}), IsErrorAbout(ErrorCode::Missing, "--model"));
}

}  // namespace
}  // namespace kw::session
