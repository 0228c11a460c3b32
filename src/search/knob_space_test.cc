// Tests of numbering, validity and neighbours of points in a tuning space.
// SPDX-License-Identifier: Apache-2.0
#include "search/knob_space.h"

#include <gtest/gtest.h>

namespace kw::search {
namespace {

KnobSpace small() {
  return KnobSpace({{"B", {64, 128, 256}}, {"A", {1, 2}}},
                   [](const KnobPoint& p) { return p.at("A") * p.at("B") <= 256; });
}

TEST(KnobSpace, NumbersEveryPointOnce) {
  const KnobSpace space = small();
  ASSERT_EQ(space.size(), 6U);
  for (std::uint64_t n = 0; n < space.size(); ++n) EXPECT_EQ(space.number_of(space.at(n)), n);
  EXPECT_EQ(space.at(0), (KnobPoint{{"A", 1}, {"B", 64}}));
  EXPECT_EQ(space.at(1), (KnobPoint{{"A", 2}, {"B", 64}})) << "the last knob is the fastest";
}

TEST(KnobSpace, KeepsToWhatExists) {
  const KnobSpace space = small();
  EXPECT_EQ(space.valid_points(100).size(), 5U);
  EXPECT_EQ(space.valid_points(2).size(), 2U);
  for (const KnobPoint& p : space.valid_points(100)) EXPECT_TRUE(space.is_valid(p));
  EXPECT_EQ(space.neighbours({{"A", 1}, {"B", 256}}),
            (std::vector<KnobPoint>{{{"A", 1}, {"B", 128}}}));
  EXPECT_EQ(space.neighbours({{"A", 1}, {"B", 128}}).size(), 3U);
}

TEST(KnobSpace, FirstPointIsTheFirstValidOne) {
  EXPECT_EQ(small().first(), (KnobPoint{{"A", 1}, {"B", 64}}));
  const KnobSpace late({{"A", {1, 2, 3}}}, [](const KnobPoint& p) { return p.at("A") == 3; });
  EXPECT_EQ(late.first(), (KnobPoint{{"A", 3}}));
  const KnobSpace never({{"A", {1, 2}}}, [](const KnobPoint&) { return false; });
  EXPECT_EQ(never.first(), never.at(0));
  EXPECT_TRUE(never.valid_points(10).empty());
}

TEST(KnobSpace, WithoutKnobsHasOnePoint) {
  const KnobSpace space;
  EXPECT_EQ(space.size(), 1U);
  EXPECT_EQ(space.at(0), KnobPoint{});
  EXPECT_EQ(space.number_of({}), 0U);
  EXPECT_TRUE(space.neighbours({}).empty());
  EXPECT_EQ(to_text({}), "no knobs");
}

TEST(KnobSpace, SizeSaturates) {
  std::vector<KnobAxis> knobs;
  for (int i = 0; i < 40; ++i) knobs.push_back({"K" + std::to_string(i), {1, 2, 3, 4}});
  EXPECT_EQ(KnobSpace(knobs).size(), std::uint64_t{1} << 62);
  EXPECT_EQ(KnobSpace(knobs).valid_points(5).size(), 5U);
}

}  // namespace
}  // namespace kw::search
