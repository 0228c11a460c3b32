// What a model is asked for a next step, and what its reply is taken for.
// SPDX-License-Identifier: Apache-2.0
#include "propose/next_step.h"

#include <gmock/gmock.h>

namespace kw::propose {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::vector<NamedStep> kMenu{{"tiling", "cut the loops"}, {"loop unrolling", ""}};

/// Replies the same every time, and remembers what it was asked.
class FixedReply final : public llm::ChatModel {
 public:
  explicit FixedReply(std::string text) { reply_.text = std::move(text); }
  Result<ChatReply> complete(const ChatRequest& request, llm::Call&) override {
    asked = request.messages.front().text;
    return reply_;
  }
  const std::string& name() const override { return name_; }
  std::string asked;

 private:
  ChatReply reply_;
  std::string name_ = "one reply";
};

TEST(NextStep, IsChosenFromFactsAndAMenu) {
  FixedReply model("It waits for memory.\n```json\n{\"technique\": \"tiling\"}\n```");
  auto next = NextStep::open(memory::DataFiles::open(std::nullopt).value(), model);
  ASSERT_TRUE(next) << describe(next.error());
  const auto chosen = next->choose({"It is memory-bound."}, kMenu);
  ASSERT_TRUE(chosen) << describe(chosen.error());
  EXPECT_EQ(*chosen, 0U);
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
  EXPECT_THAT(place("{\"technique\": \"fusion\"}").error().what, HasSubstr("was not offered"));
  EXPECT_EQ(place("{\"technique\": \"fusion\"}").error().advice, Advice::GiveUp);
}

}  // namespace
}  // namespace kw::propose
