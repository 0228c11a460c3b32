// Tests of how a model's relabelling is read.
// SPDX-License-Identifier: Apache-2.0
#include "propose/relabel.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "propose/one_reply_for_test.h"

namespace kw::propose {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kNames{"tiling", "loop unrolling"};

TEST(ModelRelabel, NamesInUseAndNewOnesAreTaken) {
  OneReply model(
      "```json\n[{\"existed\": \"yes\", \"method\": \"tiling\"},\n"
      " {\"existed\": \"no\", \"method\": \"warp shuffles\"}]\n```");
  auto relabeller = ModelRelabeller::open(memory::DataFiles::open(std::nullopt).value(), model,
                                          {.max_tokens = 900, .temperature = 0.5});
  ASSERT_TRUE(relabeller) << describe(relabeller.error());
  const auto labels = relabeller->label(kNames, {{"blocks", "cuts the loop"}, {"shfl", "adds"}});
  ASSERT_TRUE(labels) << describe(labels.error());
  EXPECT_EQ(model.settings.max_tokens, 900);
  EXPECT_THAT(*labels, ElementsAre("tiling", "warp shuffles"));
  EXPECT_THAT(model.asked, HasSubstr("- loop unrolling\n"));
  EXPECT_THAT(model.asked, HasSubstr("1. blocks: cuts the loop\n2. shfl: adds\n"));
}

TEST(ModelRelabel, AReplyOfAnotherLengthOrWithAnInventedNameIsTurnedDown) {
  const auto why = [](const std::string& reply) {
    const auto labels = parse_labels(reply, kNames, 1);
    return labels ? std::string("taken")
                  : fmt::format("{} {}", name_of(labels.error().code), labels.error().about);
  };
  EXPECT_EQ(why("[]"), "broken_reply length");
  EXPECT_EQ(why("tiling"), "broken_reply list");
  EXPECT_EQ(why("[{\"existed\": \"yes\", \"method\": \"Tiling\"}]"), "broken_reply Tiling");
  EXPECT_EQ(why("[{\"existed\": \"no\"}]"), "broken_reply method");
  EXPECT_EQ(why("[7]"), "broken_reply method");
  EXPECT_EQ(why("[{\"existed\": \"no\", \"method\": \"Tiling\"}]"), "taken");
}

}  // namespace
}  // namespace kw::propose
