// Tests of the table of providers.
// SPDX-License-Identifier: Apache-2.0
#include "llm/providers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "llm/open_model.h"

namespace kw::llm {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

TEST(Providers, StandInTheTableOnceEachWithWhatServersNeed) {
  for (const ProviderInfo& info : providers()) {
    const auto named = provider_named(info.name);
    ASSERT_TRUE(named) << info.name;
    EXPECT_EQ(&info_of(*named), &info) << "its name is no other's";
    EXPECT_EQ(info.answers == Answers::Server, !info.base_url.empty()) << info.name;
    EXPECT_EQ(info.base_url.empty(), *info.key_name == '\0') << info.name;
    EXPECT_NE(info.open, nullptr) << info.name;
    EXPECT_THAT(known_model_forms(), HasSubstr(form_of(info)));
  }
}

TEST(Providers, AreListedForTheTextsThatNameThem) {
  EXPECT_THAT(model_forms(ProviderGroup::All),
              IsSupersetOf({"openai:NAME", "anthropic:NAME", "manual:DIR", "scripted:FILE"}));
  const auto offered = model_forms(ProviderGroup::Offered);
  EXPECT_EQ(offered.front(), "openai:NAME");
  EXPECT_THAT(offered, IsSupersetOf({"anthropic:NAME", "manual:DIR"}));
  EXPECT_THAT(offered, Not(Contains("scripted:FILE")));
  EXPECT_THAT(model_forms(ProviderGroup::Keyless), ElementsAre("manual:DIR", "scripted:FILE"));
  const auto embedding = model_forms(ProviderGroup::Embedding);
  EXPECT_THAT(embedding, Contains("openai:NAME"));
  EXPECT_THAT(embedding, Not(Contains("manual:DIR")));
}

TEST(Providers, ThatNameTheirOperandAskForIt) {
  for (const ProviderInfo& info : providers()) {
    EXPECT_EQ(info.operand_purpose.empty(), info.operand_thing.empty()) << info.name;
    EXPECT_EQ(info.operand_example.empty(), info.operand_thing.empty()) << info.name;
    if (info.operand_thing.empty()) continue;
    for (const std::string_view end : {"", ":", ": "})
      EXPECT_THAT(parse_model_spec("judge=" + std::string(info.name) + std::string(end)),
                  IsErrorAbout(ErrorCode::BadInput, std::string(info.operand_thing)))
          << info.name;
  }
  EXPECT_THAT(parse_model_spec("manual"), IsErrorAbout(ErrorCode::BadInput, "folder"));
}

TEST(Providers, AFormNamesTheProviderAndWhatFollows) {
  EXPECT_EQ(form_of(info_of(*provider_named("anthropic"))), "anthropic:NAME");
  EXPECT_EQ(form_of(info_of(*provider_named("manual"))), "manual:DIR");
}

TEST(Providers, AreFoundByNameAndByWhoAnswers) {
  EXPECT_FALSE(provider_named("nobody"));
  EXPECT_FALSE(provider_named(""));
  for (const Answers answers : {Answers::Server, Answers::Person, Answers::Script})
    EXPECT_EQ(info_of(provider_of(answers)).answers, answers);
  EXPECT_EQ(provider_of(Answers::Server), Provider{}) << "the default is a server";
}

TEST(Providers, WithoutEmbeddingsRefuseThem) {
  const ModelSurroundings around;
  for (const ProviderInfo& info : providers()) {
    if (info.open_embeddings != nullptr) continue;
    EXPECT_THAT(open_plain_embeddings(*parse_model_spec(std::string(info.name) + ":m"), around),
                IsErrorAbout(ErrorCode::Unsupported, "embeddings"))
        << info.name;
  }
}

}  // namespace
}  // namespace kw::llm
