// Tests of describing knobs in words.
// SPDX-License-Identifier: Apache-2.0
#include "record/candidate.h"

#include <gtest/gtest.h>

namespace kw {
namespace {

TEST(KnobsText, JoinsNamesAndValues) {
  EXPECT_EQ(knobs_text({}), "");
  EXPECT_EQ(knobs_text({{"B", 64}, {"S", 2}}), "B=64 S=2");
  EXPECT_EQ(knobs_text({{"B", 64}, {"S", 2}}, " = ", ", "), "B = 64, S = 2");
}

TEST(KnobsChange, TellsWhatIsNewAndWhatDiffers) {
  EXPECT_EQ(knobs_change({{"A", 1}, {"B", 64}}, {{"A", 1}, {"B", 128}, {"S", 2}}),
            "B = 64 → 128, S = 2");
  EXPECT_EQ(knobs_change({{"B", 64}}, {{"B", 64}}), "");
}

}  // namespace
}  // namespace kw
