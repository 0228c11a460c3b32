// Tests of seeds and of the random numbers drawn from them.
// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace kw {
namespace {

TEST(Seed, ChildrenDifferAndRepeat) {
  const Seed root = Seed::from_number(1);
  EXPECT_EQ(root.child("x"), root.child("x"));
  std::set<Seed> seen = {root,
                         root.child("x"),
                         root.child("y"),
                         root.child(0),
                         root.child(1),
                         Seed::from_number(2).child("x"),
                         root.child("x").child("x")};
  EXPECT_EQ(seen.size(), 7u);
  EXPECT_NE(Seed::from_os(), Seed::from_os());
}

TEST(Seed, HasATextOf32Digits) {
  EXPECT_EQ((Seed{0x0123456789abcdef, 42}.hex()), "0123456789abcdef000000000000002a");
}

TEST(Rng, GivesTheSameNumbersEverywhere) {
  Rng rng(Seed::from_number(7));
  Rng same(Seed::from_number(7));
  Rng other(Seed::from_number(8));
  int equal = 0;
  for (int i = 0; i < 100; ++i) {
    const auto number = rng();
    ASSERT_EQ(number, same());
    if (number == other()) ++equal;
  }
  EXPECT_EQ(equal, 0);
}

TEST(Rng, NormalHasTheRightMomentsAndTails) {
  Rng rng(Seed::from_number(1));
  constexpr int kCount = 400'000;
  double sum = 0;
  double squares = 0;
  double fourth = 0;
  int beyond_one = 0;
  int beyond_tail = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = rng.normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    beyond_one += std::fabs(x) > 1 ? 1 : 0;
    beyond_tail += std::fabs(x) > 3.5 ? 1 : 0;
  }
  // The tolerances are six standard errors; the expected shares are erfc(1/sqrt 2) and
  // erfc(3.5/sqrt 2).
  EXPECT_NEAR(sum / kCount, 0, 6 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount, 1, 6 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(fourth / kCount, 3, 6 * std::sqrt(96.0 / kCount));
  EXPECT_NEAR(beyond_one / double{kCount}, 0.317311, 0.0045);
  EXPECT_NEAR(beyond_tail, 4.6526e-4 * kCount, 6 * std::sqrt(4.6526e-4 * kCount));
}

TEST(Rng, UniformStaysInside) {
  Rng rng(Seed::from_number(3));
  double lowest = 1;
  double highest = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double x = rng.uniform();
    lowest = std::min(lowest, x);
    highest = std::max(highest, x);
  }
  EXPECT_GE(lowest, 0);
  EXPECT_LT(lowest, 1e-3);
  EXPECT_LT(highest, 1);
  EXPECT_GT(highest, 1 - 1e-3);
}

TEST(Rng, BoundedNumbersReachBothEnds) {
  Rng rng(Seed::from_number(5));
  std::set<std::int64_t> seen;
  for (int i = 0; i < 300; ++i) seen.insert(rng.between(-2, 2));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(rng.between(9, 9), 9);
  EXPECT_EQ(rng.below(1), 0u);
  const auto lowest = std::numeric_limits<std::int64_t>::min();
  const auto highest = std::numeric_limits<std::int64_t>::max();
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 64; ++i) (rng.between(lowest, highest) < 0 ? negative : positive) = true;
  EXPECT_TRUE(negative && positive);
}

TEST(Rng, ShuffleKeepsEveryItem) {
  Rng rng(Seed::from_number(11));
  std::vector<int> items = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto sorted = items;
  rng.shuffle(std::span(items));
  EXPECT_NE(items, sorted);
  std::ranges::sort(items);
  EXPECT_EQ(items, sorted);
}

}  // namespace
}  // namespace kw
