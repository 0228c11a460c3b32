// Tests of what a model is asked about the next step, and how its reply is read.
// SPDX-License-Identifier: Apache-2.0
#include "propose/next_step.h"

#include <gmock/gmock.h>

#include "base/error_for_test.h"
#include "propose/one_reply_for_test.h"

namespace kw::propose {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::vector<NamedStep> kMenu{{"tiling", "cut the loops"}, {"loop unrolling", ""}};

TEST(NextStep, IsChosenFromFactsAndAMenu) {
  OneReply model("It waits for memory.\n```json\n{\"technique\": \"tiling\"}\n```");
  auto next = NextStep::open(memory::DataFiles::open(std::nullopt).value(), model,
                             {.max_tokens = 900, .temperature = 0.5});
  ASSERT_TRUE(next) << describe(next.error());
  const auto chosen = next->choose({"It is memory-bound."}, kMenu);
  ASSERT_TRUE(chosen) << describe(chosen.error());
  EXPECT_EQ(*chosen, 0U);
  EXPECT_EQ(model.settings, (ReplySettings{.max_tokens = 900, .temperature = 0.5}));
  EXPECT_THAT(model.asked, AllOf(HasSubstr("- It is memory-bound.\n"),
                                 HasSubstr("- `tiling`: cut the loops\n- `loop unrolling`\n")));
}

TEST(NextStep, WhatWasNotOfferedIsNoAnswer) {
  const auto place = [](const std::string& reply) { return parse_next_step(reply, kMenu); };
  EXPECT_EQ(*place("{\"technique\": \"loop unrolling\"}"), 1U);
  EXPECT_EQ(*place("{\"technique\": \"Unrolled loops\"}"), 1U) << "the same words";
  for (const char* reply :
       {"", "tiling", "{}", "{\"technique\": 3}", "{\"technique\": \"fusion\"}"})
    EXPECT_FALSE(place(reply)) << reply;
  EXPECT_THAT(place("{\"technique\": \"fusion\"}"), IsErrorAbout(ErrorCode::BrokenReply, "fusion"));
  EXPECT_EQ(place("{\"technique\": \"fusion\"}").error().advice, Advice::GiveUp);
}

}  // namespace
}  // namespace kw::propose
