// Tests of comparing host memory with the truth.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "device/host_ops_for_test.h"
#include "device/random_values.h"

namespace kw::device {
namespace {

using testing::ElementsAre;

// A kernel may write any byte; of a bool only 0 and 1 are values.
TEST_F(HostOpsTest, AByteThatIsNoBoolDiffersFromEveryBool) {
  const Tensor t = tensor({3}, Dtype::Bool);
  const auto got = holding<std::uint8_t>({1, 2, 0});
  const auto truth = holding<std::uint8_t>({1, 1, 0});
  const auto c = ops().compare(*got, *truth, nullptr, t, whole(t), {.exact = true}, {});
  ASSERT_TRUE(c.has_value());
  EXPECT_EQ(c->failed, 1);
  ASSERT_EQ(c->first.size(), 1u);
  EXPECT_EQ(c->first[0].got, 2);
}

// As doubles these two numbers are equal.
TEST_F(HostOpsTest, LargeIntegersAreComparedExactly) {
  const std::uint64_t large = (std::uint64_t{1} << 63) + 1;
  const Tensor t = tensor({1}, Dtype::U64);
  const auto c =
      ops().compare(*holding<std::uint64_t>({large}), *holding<std::uint64_t>({large + 1}), nullptr,
                    t, whole(t), {.exact = true}, {});
  ASSERT_TRUE(c.has_value());
  EXPECT_EQ(c->failed, 1);
}

/// A fixture whose 10,003 elements reach every path: whole vectors, tails, several stretches.
class CompareTest : public HostOpsTest {
 protected:
  static constexpr std::int64_t kCount = 10'003;

  void SetUp() override {
    for (std::int64_t i = 0; i < kCount; ++i) {
      got_.push_back(static_cast<float>(i % 17) - 8);
      truth_.push_back(got_.back());
    }
  }
  Comparison compare(const Allowance& a, const Selection& s = {},
                     const std::vector<double>* magnitude = nullptr) {
    const Tensor t = tensor({kCount});
    const auto scale = magnitude != nullptr ? holding(*magnitude) : nullptr;
    const auto c = ops().compare(*holding(got_), *holding(truth_), scale.get(), t, whole(t), a, s);
    EXPECT_TRUE(c.has_value());
    return *c;
  }

  std::vector<float> got_;
  std::vector<double> truth_;
};

TEST_F(CompareTest, EqualValuesPass) {
  const Comparison c = compare({.relative = 1e-6});
  EXPECT_EQ(c.compared, kCount);
  EXPECT_EQ(c.failed, 0);
  EXPECT_EQ(c.worst_fraction, 0);
  EXPECT_EQ(c.max_abs_diff, 0);
  EXPECT_EQ(c.max_abs_truth, 8);
  EXPECT_EQ(c.sum_got, c.sum_want);
  EXPECT_TRUE(c.first.empty());
  EXPECT_EQ(compare({.exact = true}).failed, 0);
}

TEST_F(CompareTest, OneWrongElementIsFoundWhereverItLies) {
  for (const std::int64_t at : {std::int64_t{0}, std::int64_t{7}, std::int64_t{2049}, kCount - 1}) {
    const auto i = static_cast<std::size_t>(at);
    const float right = got_[i];
    got_[i] += 2;
    const Comparison c = compare({.absolute = 0.5});
    EXPECT_EQ(c.failed, 1) << at;
    EXPECT_EQ(c.worst_fraction, 4);
    EXPECT_EQ(c.max_abs_diff, 2);
    EXPECT_EQ(c.sum_sq_diff, 4);
    EXPECT_EQ(c.sum_got - c.sum_want, 2);
    ASSERT_EQ(c.first.size(), 1u);
    EXPECT_THAT(c.first[0].at, ElementsAre(at));
    EXPECT_EQ(c.first[0].got, right + 2);
    EXPECT_EQ(c.first[0].want, right);
    EXPECT_EQ(compare({.exact = true}).failed, 1);
    EXPECT_EQ(compare({.absolute = 2}).failed, 0);
    got_[i] = right;
  }
}

TEST_F(CompareTest, EachTermOfTheAllowanceCounts) {
  got_[5000] = 101;
  truth_[5000] = 100;
  EXPECT_EQ(compare({.relative = 0.0099}).failed, 1);
  EXPECT_EQ(compare({.relative = 0.0101}).failed, 0);
  std::vector<double> magnitude(kCount, 0.0);
  magnitude[5000] = 50;
  EXPECT_EQ(compare({.magnitude = 0.019}, {}, &magnitude).failed, 1);
  EXPECT_EQ(compare({.magnitude = 0.021}, {}, &magnitude).failed, 0);
}

TEST_F(CompareTest, AnAllowanceOfZeroFailsAnyDifference) {
  EXPECT_EQ(compare({}).failed, 0);
  got_[3] = std::nextafter(got_[3], 100.0f);
  const Comparison c = compare({});
  EXPECT_EQ(c.failed, 1);
  EXPECT_TRUE(std::isinf(c.worst_fraction));
}

TEST_F(CompareTest, NonFinitePositionsMustMatch) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Allowance wide{.absolute = 1e30};
  got_[100] = nan;
  EXPECT_EQ(compare(wide).nonfinite_failed, 1);
  EXPECT_EQ(compare(wide).failed, 1);
  truth_[100] = nan;
  EXPECT_EQ(compare(wide).failed, 0);
  EXPECT_EQ(compare({.exact = true}).failed, 0);
  truth_[200] = inf;
  EXPECT_EQ(compare(wide).nonfinite_failed, 1);
  got_[200] = -inf;
  EXPECT_EQ(compare(wide).nonfinite_failed, 1);
  got_[200] = inf;
  const Comparison c = compare(wide);
  EXPECT_EQ(c.failed, 0);
  EXPECT_EQ(c.compared, kCount);
  EXPECT_TRUE(std::isfinite(c.sum_sq_truth));
}

TEST_F(CompareTest, ListsTheFirstMismatchesInOrder) {
  for (float& g : got_) g += 1;
  const Comparison c = compare({.absolute = 0.5});
  EXPECT_EQ(c.failed, kCount);
  ASSERT_EQ(c.first.size(), 64u);
  for (std::size_t i = 0; i < 64; ++i)
    EXPECT_THAT(c.first[i].at, ElementsAre(static_cast<std::int64_t>(i)));
}

TEST_F(HostOpsTest, RegionsAndPitchSelectTheRightElements) {
  Tensor t = tensor({3, 4, 5});
  t.pitch = 6;
  std::vector<float> got(static_cast<std::size_t>(t.extent()), 1);
  std::vector<double> truth(got.size(), 1);
  const auto index = [](std::size_t i, std::size_t j, std::size_t k) {
    return (i * 4 + j) * 6 + k;
  };
  got[index(2, 1, 3)] = 2;
  got[index(0, 1, 3)] = 2;  // outside of the region
  got[index(2, 1, 5)] = 2;  // in the padding
  const Region region{{{1, 3}, {0, 2}, {2, 4}}};
  const auto c =
      ops().compare(*holding(got), *holding(truth), nullptr, t, region, {.absolute = 0.1}, {});
  ASSERT_TRUE(c.has_value());
  EXPECT_EQ(c->compared, 8);
  EXPECT_EQ(c->failed, 1);
  EXPECT_THAT(c->first.at(0).at, ElementsAre(2, 1, 3));
}

TEST_F(HostOpsTest, IntegersAreComparedInTheirOwnType) {
  const Tensor t = tensor({3}, Dtype::I64);
  const std::int64_t big = (std::int64_t{1} << 60) + 1;
  const auto c =
      ops().compare(*holding<std::int64_t>({1, big, 3}), *holding<std::int64_t>({1, big - 1, 3}),
                    nullptr, t, whole(t), {.exact = true}, {});
  ASSERT_TRUE(c.has_value());
  EXPECT_EQ(c->failed, 1);  // as doubles both are equal
}

TEST_F(HostOpsTest, ReducedChecksSeeTheEdgesAndAShareOfTheRest) {
  constexpr std::int64_t n = 100 << 16;
  const Tensor t = tensor({n});
  auto values = std::vector<float>(n, 1);
  const auto truth = holding(std::vector<double>(n, 1));
  values.front() = values.back() = 2;
  const auto got = holding(values);
  std::set<std::int64_t> sizes;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto c =
        ops().compare(*got, *truth, nullptr, t, whole(t), {.absolute = 0.5}, {seed, 0.1});
    ASSERT_TRUE(c.has_value());
    EXPECT_EQ(c->failed, 2);
    EXPECT_GT(c->compared, n / 100);
    EXPECT_LT(c->compared, n / 3);
    sizes.insert(c->compared);
  }
  EXPECT_GT(sizes.size(), 1u);
}

}  // namespace
}  // namespace kw::device
