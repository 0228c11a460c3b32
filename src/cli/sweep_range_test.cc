// Tests of the --dim values of kw sweep.
// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_range.h"

#include <gmock/gmock.h>

#include "base/error_for_test.h"

namespace kw::cli {
namespace {

using testing::ElementsAre;

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
  struct Case {
    std::vector<std::string> dims;
    ErrorCode code;
    std::string about;
  };
  const std::vector<Case> cases{
      {{}, ErrorCode::Missing, "range"},
      {{"n=64"}, ErrorCode::Missing, "range"},
      {{"n"}, ErrorCode::BadInput, "n"},
      {{"=1..2"}, ErrorCode::BadInput, "=1..2"},
      {{"n=512..64"}, ErrorCode::BadInput, "n=512..64"},
      {{"n=0..64"}, ErrorCode::BadInput, "n=0..64"},
      {{"n=1..64*1"}, ErrorCode::BadInput, "n=1..64*1"},
      {{"n=1..64:0"}, ErrorCode::BadInput, "n=1..64:0"},
      {{"n=1..x"}, ErrorCode::BadInput, "n=1..x"},
      {{"n=1..2", "m=1..2"}, ErrorCode::Contradiction, "n and m"},
      {{"n=1..2", "n=3"}, ErrorCode::Contradiction, "n"},
      {{"n=1..1000:1"}, ErrorCode::TooLarge, "points"},
  };
  for (const auto& [dims, code, about] : cases)
    EXPECT_THAT(parse_sweep(dims), IsErrorAbout(code, about)) << (dims.empty() ? "" : dims.front());
}

}  // namespace
}  // namespace kw::cli
