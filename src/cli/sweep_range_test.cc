// Tests of the --dim values of kw sweep.
// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_range.h"

#include <gmock/gmock.h>

namespace kw::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::int64_t> values_of(const std::string& dim) {
  const auto plan = parse_sweep({dim});
  return plan ? plan->values : std::vector<std::int64_t>{};
}

TEST(SweepRange, DoublesUnlessTold) {
  EXPECT_THAT(values_of("n=64..512"), ElementsAre(64, 128, 256, 512));
  EXPECT_THAT(values_of("n=3..13"), ElementsAre(3, 6, 12));
  EXPECT_THAT(values_of("n=5..5"), ElementsAre(5));
}

TEST(SweepRange, AddsAndMultiplies) {
  EXPECT_THAT(values_of("n=64..256:64"), ElementsAre(64, 128, 192, 256));
  EXPECT_THAT(values_of("n=1..64*4"), ElementsAre(1, 4, 16, 64));
  EXPECT_THAT(values_of("n=1..64:*8"), ElementsAre(1, 8, 64));
}

TEST(SweepRange, EndsBeforeOverflow) {
  EXPECT_THAT(values_of("n=4611686018427387904..9223372036854775807"),
              ElementsAre(4611686018427387904));
}

TEST(SweepRange, FixesOtherDims) {
  const auto plan = parse_sweep({"k=256", "n=1..4"});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->dim, "n");
  EXPECT_EQ(plan->fixed.at("k"), 256);
}

TEST(SweepRange, SaysWhatIsWrong) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "one dim must range"},
      {{"n=64"}, "one dim must range"},
      {{"n"}, "sizes are given as n=64..512"},
      {{"=1..2"}, "sizes are given as n=64..512"},
      {{"n=512..64"}, "sizes are given as n=64..512"},
      {{"n=0..64"}, "sizes are given as n=64..512"},
      {{"n=1..64*1"}, "sizes are given as n=64..512"},
      {{"n=1..64:0"}, "sizes are given as n=64..512"},
      {{"n=1..x"}, "sizes are given as n=64..512"},
      {{"n=1..2", "m=1..2"}, "only one dim may range"},
      {{"n=1..2", "n=3"}, "given twice"},
      {{"n=1..1000:1"}, "more than 256 points"},
  };
  for (const auto& [dims, words] : cases) {
    const auto plan = parse_sweep(dims);
    ASSERT_FALSE(plan) << (dims.empty() ? "" : dims.front());
    EXPECT_THAT(plan.error().what, HasSubstr(words));
  }
}

}  // namespace
}  // namespace kw::cli
