// Tests of the record codec: round trips, defaults, and errors with their path.
// SPDX-License-Identifier: Apache-2.0
#include "record/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error_for_test.h"
#include "record/attempt.h"
#include "record/exchange.h"

namespace kw {
namespace {

Evaluation sample_evaluation() {
  Evaluation e;
  e.id = "a";
  e.verdict = {Stage::Check, Outcome::WrongResult, "3 of 9 elements"};
  e.findings.push_back({FindingKind::Mismatch, 1, "The last plane is missing.", "", "u"});
  e.findings.back().numbers = {0.5, 3};
  e.workloads.push_back({});
  e.workloads[0].samples.push_back({1.5, 3.0, 2, true});
  e.workloads[0].accuracy.max_abs_diff = 0.25;
  e.stage_ns["check"] = 12;
  return e;
}

TEST(Codec, RoundTripsARecordByteForByte) {
  const std::string text = encode(sample_evaluation());
  const auto back = decode<Evaluation>(text);
  ASSERT_TRUE(back) << describe(back.error());
  EXPECT_EQ(encode(*back), text);
  EXPECT_EQ(back->verdict.outcome, Outcome::WrongResult);
  EXPECT_EQ(back->workloads[0].samples[0].opponent_ns, 3.0);
  EXPECT_EQ(back->findings[0].numbers, (std::vector<double>{0.5, 3}));
}

TEST(Codec, KeepsDefaultsForMissingKeysAndIgnoresUnknownOnes) {
  const auto task = decode<Task>(R"({"name":"t","from_the_future":1})");
  ASSERT_TRUE(task);
  EXPECT_EQ(task->name, "t");
  EXPECT_EQ(task->gate.rms_factor, 4);
}

TEST(Codec, NamesThePathOfAWrongValue) {
  const auto bad = decode<Evaluation>(R"({"workloads":[{"samples":[{"candidate_ns":"x"}]}]})");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().where, ".workloads[0].samples[0].candidate_ns");
  EXPECT_FALSE(decode<Verdict>(R"({"stage":"nowhere"})"));
  EXPECT_FALSE(decode<Verdict>("[1"));
  EXPECT_FALSE(decode<Verdict>("[]"));
}

TEST(Codec, RefusesTextNestedSoDeeplyThatReadingItWouldOverflowTheStack) {
  const auto caused = [](int depth) {
    std::string text = "{}";
    for (int i = 0; i < depth; ++i) text = R"({"cause":[)" + text + "]}";
    return R"({"seen":)" + text + "}";
  };
  EXPECT_TRUE(decode<Verdict>(caused(8)));
  EXPECT_THAT(decode<Verdict>(caused(2000)), IsErrorAbout(ErrorCode::TooLarge, "levels"));
}

TEST(Codec, SurvivesForeignBytesAndNonFiniteNumbers) {
  Evaluation e = sample_evaluation();
  e.verdict.evidence = "bad \xff byte";
  e.workloads[0].accuracy.rel_l2 = std::numeric_limits<double>::infinity();
  const auto back = decode<Evaluation>(encode(e));
  ASSERT_TRUE(back);
  EXPECT_NE(back->workloads[0].accuracy.rel_l2, back->workloads[0].accuracy.rel_l2);
}

TEST(Codec, KeepsHowARunAsksItsModels) {
  RunConfig config;
  config.reply = {.max_tokens = 900, .temperature = 0.25, .effort = "low"};
  const auto json = nlohmann::json::parse(encode(config));
  EXPECT_EQ(json.at("reply_tokens"), 900)
      << "the name that records of runs have had from the start";
  EXPECT_EQ(json.at("temperature"), 0.25);
  EXPECT_EQ(json.at("effort"), "low");
  EXPECT_FALSE(json.contains("max_tokens"));
  const auto back = decode<RunConfig>(encode(config));
  ASSERT_TRUE(back) << describe(back.error());
  EXPECT_EQ(back->reply, config.reply);
}

TEST(Codec, KeepsAnExchangeWithAModel) {
  Exchange e{"k", "openai:m", "attempt 3", {}, {}, "2026-11-20T12:00:00Z"};
  e.request.messages = {{ChatRole::System, "s"}, {ChatRole::User, "u"}};
  e.request.temperature = 0.25;
  e.reply = {
      "text", "thought", {9, 8, 0, 7, false}, "m-1", StopReason::Length, ReplyOrigin::Model, 5,
      2,      0.5};
  const auto back = decode<Exchange>(encode(e));
  ASSERT_TRUE(back) << describe(back.error());
  EXPECT_EQ(back->request, e.request);
  const auto settings = decode<ReplySettings>(encode(e.request));
  ASSERT_TRUE(settings) << describe(settings.error());
  EXPECT_EQ(settings->temperature, 0.25) << "a request holds its settings";
  EXPECT_EQ(back->reply, e.reply);
  e.reply.cost_usd.reset();
  EXPECT_EQ(decode<Exchange>(encode(e))->reply.cost_usd, std::nullopt);
}

TEST(Enums, NamesAreCompleteAndUnique) {
  for (std::size_t i = 0; i < EnumNames<Outcome>::names.size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(*enum_from<Outcome>(EnumNames<Outcome>::names[i])), i);
  EXPECT_EQ(name_of(Outcome::Unsupported), "unsupported");
}

}  // namespace
}  // namespace kw
