// Tests of the operations on host memory: the values they draw, the differences they find, and that
// order and layout do not matter.
// SPDX-License-Identifier: Apache-2.0
#include "device/host_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "base/error_for_test.h"
#include "device/cuda/half.cuh"
#include "device/host_ops_for_test.h"
#include "device/random_values.h"

namespace kw::device {
namespace {

using testing::ElementsAre;

struct Moments {
  double mean = 0;
  double deviation = 0;
  double fourth = 0;  ///< Fourth moment, standardised.
};

Moments moments(const std::vector<float>& values) {
  Moments m;
  const auto n = static_cast<double>(values.size());
  for (const float v : values) m.mean += v / n;
  for (const float v : values) m.deviation += (v - m.mean) * (v - m.mean) / n;
  for (const float v : values) m.fourth += std::pow(v - m.mean, 4) / n;
  m.fourth /= m.deviation * m.deviation;
  m.deviation = std::sqrt(m.deviation);
  return m;
}

constexpr std::int64_t kMany = 200'000;

TEST_F(HostOpsTest, UniformValuesLieInTheirRange) {
  const auto v = drawn("uniform", {{"lo", -1}, {"hi", 3}}, kMany);
  EXPECT_GE(*std::ranges::min_element(v), -1);
  EXPECT_LE(*std::ranges::max_element(v), 3);
  EXPECT_NEAR(moments(v).mean, 1, 0.02);
  EXPECT_NEAR(moments(v).deviation, 4 / std::sqrt(12), 0.02);
}

TEST_F(HostOpsTest, NormalValuesHaveTheBellsMomentsAndTails) {
  const auto v = drawn("normal", {{"mean", 2}, {"std", 3}}, kMany);
  const Moments m = moments(v);
  EXPECT_NEAR(m.mean, 2, 0.04);
  EXPECT_NEAR(m.deviation, 3, 0.03);
  EXPECT_NEAR(m.fourth, 3, 0.1);
  // Shares of values beyond 1, 2, 3 and 3.8 standard deviations; 3.8 lies in the method's tail.
  for (const auto& [z, share] :
       {std::pair{1.0, 0.3173}, {2.0, 0.0455}, {3.0, 0.0027}, {3.8, 0.000145}}) {
    const auto beyond = std::ranges::count_if(v, [z](float x) { return std::fabs(x - 2) > 3 * z; });
    const double expected = share * static_cast<double>(kMany);
    EXPECT_NEAR(static_cast<double>(beyond), expected, 5 * std::sqrt(expected)) << z;
  }
}

TEST_F(HostOpsTest, OtherKindsKeepTheirPromises) {
  const auto integers = drawn("integers", {{"lo", -2}, {"hi", 2}}, 1000);
  EXPECT_EQ(std::set<float>(integers.begin(), integers.end()), (std::set<float>{-2, -1, 0, 1, 2}));

  const auto ties = drawn("ties", {{"levels", 3}}, 1000);
  EXPECT_EQ(std::set<float>(ties.begin(), ties.end()).size(), 3u);

  const auto mixed = drawn("mixed", {{"lo_exp", -8}, {"hi_exp", 8}}, 10000);
  const auto size = [](float x) { return std::fabs(x); };
  EXPECT_GE(std::fabs(*std::ranges::min_element(mixed, {}, size)), 0x1p-8f);
  EXPECT_LE(std::fabs(*std::ranges::max_element(mixed, {}, size)), 0x1p8f);
  EXPECT_LT(std::fabs(*std::ranges::min_element(mixed, {}, size)), 0x1p-7f);
  EXPECT_GE(std::fabs(*std::ranges::max_element(mixed, {}, size)), 0x1p7f);
  EXPECT_NEAR(static_cast<double>(std::ranges::count_if(mixed, [](float x) { return x < 0; })),
              5000, 300);

  auto ramp = drawn("ramp", {{"lo", 1}, {"hi", 5}}, 5);
  std::ranges::sort(ramp);
  EXPECT_THAT(ramp, ElementsAre(1, 2, 3, 4, 5));

  const auto spikes = drawn("spikes", {{"std", 1}, {"share", 0.01}, {"height", 1e6}}, 10000);
  const auto high = std::ranges::count_if(spikes, [](float x) { return std::fabs(x) > 10; });
  EXPECT_NEAR(static_cast<double>(high), 100, 50);

  EXPECT_THAT(drawn("constant", {{"value", 2.5}}, 2), ElementsAre(2.5, 2.5));
  EXPECT_THAT(drawn("zero", {}, 2), ElementsAre(0, 0));
}

TEST_F(HostOpsTest, PointsShareCellsAndTouchTheRim) {
  Tensor t = tensor({5, 3}, Dtype::F64);
  t.values.kind = "points";
  t.values.origin = {0, 10, -1};
  t.values.step = {1, 2, 0.5};
  t.values.count = {9, 17, 5};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto b = make(t.bytes());
    ASSERT_TRUE(ops().fill(*b, t, seed).has_value());
    const auto v = read<double>(*b);
    const auto cell = [&](std::size_t point, std::size_t axis) {
      return std::floor((v[point * 3 + axis] - t.values.origin[axis]) / t.values.step[axis]);
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto cells = static_cast<double>(t.values.count[axis] - 1);
      for (std::size_t p = 0; p < 5; ++p) {
        EXPECT_GE(cell(p, axis), p == 4 ? -1 : 0);
        EXPECT_LT(cell(p, axis), p == 4 ? cells + 1 : cells);
      }
      EXPECT_EQ(cell(0, axis), cell(1, axis));
      EXPECT_NE(v[axis], v[3 + axis]);
      EXPECT_TRUE(cell(4, axis) == -1 || cell(4, axis) == cells) << axis;
    }
  }
}

TEST_F(HostOpsTest, FillsRefuseWhatTheyDoNotKnow) {
  Tensor t = tensor({4});
  t.values.kind = "gaussian";
  const auto b = make(t.bytes());
  const auto filled = ops().fill(*b, t, 1);
  EXPECT_THAT(filled, IsErrorAbout(ErrorCode::Unsupported, "gaussian"));
}

TEST_F(HostOpsTest, FillsDependOnSeedAndIndexAloneNotOnThreadsOrPadding) {
  constexpr std::int64_t n = 300'000;
  Tensor t = tensor({n});
  Parallel four(4);
  HostOps threaded(four);
  const auto a = make(t.bytes());
  const auto b = make(t.bytes());
  ASSERT_TRUE(ops().fill(*a, t, 5).has_value());
  ASSERT_TRUE(threaded.fill(*b, t, 5).has_value());
  EXPECT_EQ(read<float>(*a), read<float>(*b));

  Tensor padded = tensor({3, 5});
  padded.pitch = 7;
  const auto c = make(padded.bytes());
  ASSERT_TRUE(ops().fill(*c, padded, 5).has_value());
  const auto flat = read<float>(*a);
  const auto rows = read<float>(*c);
  EXPECT_EQ(rows[7], flat[5]);
  EXPECT_EQ(rows[18], flat[14]);
  EXPECT_GT(std::fabs(rows[5]), 1e15f);  // padding is poison
}

TEST_F(HostOpsTest, PoisonIsFiniteLargeAndNeverTheSame) {
  const auto b = make(4099);
  ASSERT_TRUE(ops().poison(*b, 1).has_value());
  const auto first = read<std::byte>(*b);
  for (const float f : read<float>(*b)) {
    EXPECT_TRUE(std::isfinite(f));
    EXPECT_GT(std::fabs(f), 1e15f);
  }
  for (const double d : read<double>(*b)) {
    EXPECT_TRUE(std::isfinite(d));
    EXPECT_GT(std::fabs(d), 1e15);
  }
  for (const Half h : read<Half>(*b)) {
    EXPECT_TRUE(std::isfinite(static_cast<double>(h)));
    EXPECT_GE(std::fabs(static_cast<double>(h)), 512);
  }
  for (const BFloat h : read<BFloat>(*b)) EXPECT_GT(std::fabs(static_cast<double>(h)), 1e15);
  ASSERT_TRUE(ops().poison(*b, 2).has_value());
  const auto second = read<float>(*b);
  for (std::size_t i = 0; i < second.size(); ++i) {
    float before;
    std::memcpy(&before, first.data() + i * sizeof before, sizeof before);
    EXPECT_NE(second[i], before);
  }
}

TEST_F(HostOpsTest, LongMemoryIsFilledAsShortMemoryIs) {
  // Length of a buffer that exceeds the caches and is no multiple of a vector's length.
  constexpr std::int64_t kLongBytes = (std::int64_t{3} << 20) + 5;
  const auto all = make(kLongBytes);
  ASSERT_TRUE(ops().poison(*all, 7).has_value());
  const auto bytes = read<std::byte>(*all);
  for (std::int64_t at = 0; at < kLongBytes; ++at) {
    const std::uint64_t pair = poison_pair(7, static_cast<std::uint64_t>(at / 8));
    ASSERT_EQ(bytes[static_cast<std::size_t>(at)], static_cast<std::byte>(pair >> 8 * (at % 8)))
        << at;
  }
  Tensor large = tensor({1000, 1001});
  Tensor small = tensor({3, 1001});
  large.pitch = small.pitch = 1003;
  const auto a = make(large.bytes());
  const auto b = make(small.bytes());
  ASSERT_TRUE(ops().fill(*a, large, 5).has_value());
  ASSERT_TRUE(ops().fill(*b, small, 5).has_value());
  const auto few = read<float>(*b);
  auto many = read<float>(*a);
  many.resize(few.size());
  EXPECT_EQ(many, few);
}

template <class T>
struct Drawn {
  T least;
  T most;
};

TEST_F(HostOpsTest, IntegersOfEachTypeStayInTheirRange) {
  const auto drawn = [&]<class T>(Dtype dtype, double lo, double hi, T) {
    Tensor t = tensor({20'000}, dtype);
    t.values.kind = "integers";
    t.values.numbers = {{"lo", lo}, {"hi", hi}};
    const auto b = make(t.bytes());
    EXPECT_TRUE(ops().fill(*b, t, 5).has_value());
    const auto values = read<T>(*b);
    return Drawn<T>{*std::ranges::min_element(values), *std::ranges::max_element(values)};
  };
  const auto expect = [&]<class T>(Dtype dtype, double lo, double hi, T zero) {
    SCOPED_TRACE(std::string(name_of(dtype)));
    const auto seen = drawn(dtype, lo, hi, zero);
    EXPECT_EQ(static_cast<double>(seen.least), lo);
    EXPECT_EQ(static_cast<double>(seen.most), hi);
  };
  expect(Dtype::I8, -128, 127, std::int8_t{});
  expect(Dtype::I16, -300, 20, std::int16_t{});
  expect(Dtype::I32, -70, 70, std::int32_t{});
  expect(Dtype::I64, -9, 9, std::int64_t{});
  expect(Dtype::U8, 200, 255, std::uint8_t{});
  expect(Dtype::U16, 65'500, 65'535, std::uint16_t{});
  expect(Dtype::U32, 7, 99, std::uint32_t{});
  expect(Dtype::U64, 0, 3, std::uint64_t{});
  expect(Dtype::Bool, 0, 1, std::uint8_t{});
  const auto wide = drawn(Dtype::U64, 0, 0x1p53, std::uint64_t{});
  EXPECT_GT(wide.most, std::uint64_t{1} << 52);
  EXPECT_LE(wide.most, std::uint64_t{1} << 53);
  const auto cut = drawn(Dtype::U32, -5, 5, std::uint32_t{});
  EXPECT_EQ(cut.least, 0u) << "no negative number wraps around";
  EXPECT_EQ(cut.most, 5u);
}

TEST_F(HostOpsTest, DifferencesAreCountedInBytes) {
  Tensor t = tensor({3, 4});
  t.pitch = 6;
  std::vector<float> a(static_cast<std::size_t>(t.extent()), 1);
  const auto first = holding(a);
  EXPECT_EQ(ops().count_differences(*first, *holding(a), t, false).value(), 0);
  a[0] = -1;  // changes one byte of an element
  a[4] = -1;  // changes one byte of padding
  const auto second = holding(a);
  EXPECT_EQ(ops().count_differences(*first, *second, t, false).value(), 2);
  EXPECT_EQ(ops().count_differences(*first, *second, t, true).value(), 1);
}

TEST_F(HostOpsTest, WidenAndCopyKeepLayout) {
  Tensor t = tensor({2, 2});
  t.pitch = 3;
  const auto from = holding<float>({1, 2, 99, 3, 4});
  const auto wide = holding<double>({0, 0, 0, 0, 0});
  ASSERT_TRUE(ops().widen(*wide, *from, t).has_value());
  EXPECT_THAT(read<double>(*wide), ElementsAre(1, 2, 0, 3, 4));
  const auto copy = make(from->bytes());
  ASSERT_TRUE(ops().copy(*copy, *from).has_value());
  EXPECT_EQ(read<float>(*copy), read<float>(*from));
  EXPECT_FALSE(ops().copy(*make(4), *from).has_value());
}

TEST_F(HostOpsTest, NarrowRoundsToTheNearestAndKeepsPadding) {
  const auto wide = holding<double>({1 + 0x1p-24, 1 + 0x1p-23 + 0x1p-24, 7, -3e300, 0x1p-150});
  Tensor t = tensor({2, 2});
  t.pitch = 3;
  const auto to = holding<float>({9, 9, 9, 9, 9});
  ASSERT_TRUE(ops().narrow(*to, *wide, t).has_value());
  EXPECT_THAT(read<float>(*to),
              ElementsAre(1, 1 + 0x1p-22f, 9, -std::numeric_limits<float>::infinity(), 0));
  t.dtype = Dtype::BF16;
  const auto halves = make(t.bytes());
  ASSERT_TRUE(ops().narrow(*halves, *wide, t).has_value());
  EXPECT_EQ(read<std::uint16_t>(*halves).front(), 0x3f80);
  t.dtype = Dtype::I32;
  EXPECT_FALSE(ops().narrow(*to, *wide, t).has_value());
}

TEST_F(HostOpsTest, HalvesAreDrawnWidenedAndComparedAsTheyAre) {
  for (const Dtype dtype : {Dtype::F16, Dtype::BF16}) {
    Tensor t = tensor({3, 5000}, dtype);
    t.pitch = 5001;
    t.values.numbers = {{"std", 3}};
    const auto got = make(t.bytes());
    const auto truth = make(t.extent() * 8);
    ASSERT_TRUE(ops().fill(*got, t, 4).has_value());
    ASSERT_TRUE(ops().widen(*truth, *got, t).has_value());
    Tensor wide = t;
    wide.dtype = Dtype::F64;
    const auto exact = make(wide.bytes());
    ASSERT_TRUE(ops().fill(*exact, wide, 4).has_value());

    const auto off = [&](const Buffer& values, const Allowance& allowed) {
      return ops().compare(*got, values, nullptr, t, whole(t), allowed, {})->failed;
    };
    const double u = dtype == Dtype::F16 ? 0x1p-11 : 0x1p-8;
    EXPECT_EQ(off(*truth, {.exact = true}), 0);
    EXPECT_EQ(off(*exact, {.exact = true}), 0) << "exact: as the type holds the truth";
    EXPECT_EQ(off(*exact, {.absolute = 0x1p-24, .relative = u}), 0);
    EXPECT_GT(off(*exact, {.relative = u / 4}), 5000);

    auto bits = read<std::uint16_t>(*got);
    bits[5001 + 4096] ^= 1;
    write(*got, bits);
    EXPECT_EQ(off(*truth, {.exact = true}), 1);
    bits[7] = dtype == Dtype::F16 ? 0x7c00 : 0x7f80;  // infinity
    write(*got, bits);
    EXPECT_EQ(off(*truth, {.relative = 2 * u}), 1);
  }
}

TEST_F(HostOpsTest, BuffersKeepWritesInside) {
  const auto b = make(8);
  const std::byte one[1] = {};
  EXPECT_TRUE(b->write(7, one).has_value());
  EXPECT_FALSE(b->write(8, one).has_value());
  EXPECT_FALSE(b->write(-1, one).has_value());
  EXPECT_EQ(ops().check_guards(*b).value(), "");
}

}  // namespace
}  // namespace kw::device
