// Tests of digests and ids.
// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <gtest/gtest.h>

#include <unordered_set>

#include "base/ids.h"

namespace kw {
namespace {

TEST(Sha256, MatchesTheStandard) {
  // Test vector of FIPS 180-2, appendix B.1.
  EXPECT_EQ(sha256("abc").hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Stream().update("a").update("bc").finish(), sha256("abc"));
}

TEST(Sha256, PartsKeepTheirBorders) {
  EXPECT_NE(Sha256Stream().update_part("ab").update_part("c").finish(),
            Sha256Stream().update_part("a").update_part("bc").finish());
}

TEST(Sha256, SurvivesItsText) {
  const auto digest = sha256("x");
  EXPECT_EQ(Sha256::from_hex(digest.hex()).value(), digest);
  EXPECT_FALSE(Sha256::from_hex("ab").has_value());
  EXPECT_FALSE(Sha256::from_hex(std::string(64, 'g')).has_value());
}

TEST(StrongId, IsAValueOfItsOwn) {
  using RunId = StrongId<struct RunTag>;
  using AttemptId = StrongId<struct AttemptTag>;
  static_assert(!std::is_convertible_v<RunId, AttemptId>);
  static_assert(!std::is_convertible_v<int, RunId>);
  EXPECT_FALSE(RunId());
  EXPECT_TRUE(RunId(1));
  EXPECT_LT(RunId(1), RunId(2));
  EXPECT_EQ((std::unordered_set<RunId>{RunId(1), RunId(1), RunId(2)}.size()), 2u);
}

}  // namespace
}  // namespace kw
