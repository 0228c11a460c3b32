// Tests of values with a structure: row pointers, permutations, sorted numbers, matrices that can
// be factorised, and special numbers.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "base/error_for_test.h"
#include "device/fill.h"
#include "device/host_ops_for_test.h"

namespace kw::device::structured {
namespace {

class StructuredValues : public HostOpsTest {
 protected:
  template <class T>
  std::vector<T> draw(const Tensor& t, std::uint64_t seed = 7) {
    const auto buffer = make(t.bytes());
    const auto filled = ops().fill(*buffer, t, seed);
    EXPECT_TRUE(filled.has_value()) << (filled ? "" : describe(filled.error()));
    return read<T>(*buffer);
  }
  static Tensor of(const std::string& kind, std::vector<std::int64_t> sizes, Dtype dtype,
                   std::map<std::string, double> numbers = {}) {
    Tensor t = tensor(std::move(sizes), dtype);
    t.values.kind = kind;
    t.values.numbers = std::move(numbers);
    return t;
  }
};

TEST_F(StructuredValues, OffsetsRiseFromZeroToTheCountInIrregularRows) {
  for (const std::int64_t rows : {1, 2, 5, 16, 17, 1000}) {
    Tensor t = of("offsets", {rows + 1}, Dtype::I32);
    for (const std::int64_t count : {1, 7, 50'000}) {
      t.values.count = {count};
      for (std::uint64_t seed = 0; seed < 8; ++seed) {
        const auto v = draw<int>(t, seed);
        EXPECT_EQ(v.front(), 0);
        EXPECT_EQ(v.back(), count);
        EXPECT_TRUE(std::ranges::is_sorted(v)) << rows << " " << count;
      }
    }
  }
  Tensor t = of("offsets", {1001}, Dtype::I64);
  t.values.count = {100'000};
  const auto v = draw<std::int64_t>(t);
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 1; i < v.size(); ++i) lengths.push_back(v[i] - v[i - 1]);
  const auto empty = std::ranges::count(lengths, 0);
  EXPECT_GT(empty, 150);
  EXPECT_LT(empty, 500);
  EXPECT_GT(std::ranges::max(lengths), 400) << "some rows have several times the mean of 100";
  EXPECT_GT(std::set<std::int64_t>(lengths.begin(), lengths.end()).size(), 100u);
}

TEST_F(StructuredValues, OffsetsReachCountsBeyondAFloat) {
  Tensor t = of("offsets", {65}, Dtype::I64);
  t.values.count = {(std::int64_t{1} << 40) + 1};
  const auto v = draw<std::int64_t>(t);
  EXPECT_EQ(v.back(), t.values.count[0]);
  EXPECT_TRUE(std::ranges::is_sorted(v));
}

TEST_F(StructuredValues, PermutationsHoldEachNumberOnce) {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 16, 17, 255, 1000}) {
    const auto v = draw<int>(of("permutation", {n}, Dtype::I32));
    std::vector<int> wanted(static_cast<std::size_t>(n));
    std::iota(wanted.begin(), wanted.end(), 0);
    EXPECT_THAT(v, ::testing::UnorderedElementsAreArray(wanted));
  }
  const auto one = draw<int>(of("permutation", {1000}, Dtype::I32), 1);
  EXPECT_NE(one, draw<int>(of("permutation", {1000}, Dtype::I32), 2));
  EXPECT_FALSE(std::ranges::is_sorted(one));
  std::ptrdiff_t fixed = 0;
  for (std::size_t i = 0; i < one.size(); ++i) fixed += one[i] == static_cast<int>(i);
  EXPECT_LT(fixed, 10);
}

TEST_F(StructuredValues, PermutationsRunAlongRowsOrOverAll) {
  const auto rows = draw<int>(of("permutation", {3, 50}, Dtype::I32));
  std::vector<int> first(rows.begin(), rows.begin() + 50),
      second(rows.begin() + 50, rows.begin() + 100);
  EXPECT_NE(first, second);
  std::ranges::sort(first), std::ranges::sort(second);
  EXPECT_EQ(first, second);
  EXPECT_EQ(second.back(), 49);
  auto all = draw<int>(of("permutation", {3, 50}, Dtype::I32, {{"whole", 1}}));
  std::ranges::sort(all);
  EXPECT_EQ(all.front(), 0);
  EXPECT_EQ(all.back(), 149);
  EXPECT_EQ(std::set<int>(all.begin(), all.end()).size(), 150u);
}

TEST_F(StructuredValues, RowsHoldASingleOne) {
  constexpr std::size_t kRows = 400, kLength = 37;
  const auto v = draw<float>(of("one_hot", {kRows, kLength}, Dtype::F32));
  std::set<std::size_t> places;
  for (std::size_t r = 0; r < kRows; ++r) {
    const auto row = std::span(v).subspan(r * kLength, kLength);
    EXPECT_EQ(std::ranges::count(row, 1.0f), 1);
    EXPECT_EQ(std::ranges::count(row, 0.0f), static_cast<std::ptrdiff_t>(kLength) - 1);
    places.insert(static_cast<std::size_t>(std::ranges::find(row, 1.0f) - row.begin()));
  }
  EXPECT_EQ(places.size(), kLength) << "every place is hot in some row";
}

TEST_F(StructuredValues, SortedNumbersRiseAndRepeat) {
  const auto integers = draw<int>(of("sorted", {1000}, Dtype::I32, {{"lo", -5}, {"hi", 20'000}}));
  EXPECT_TRUE(std::ranges::is_sorted(integers));
  EXPECT_GE(integers.front(), -5);
  EXPECT_LE(integers.back(), 20'000);
  EXPECT_GT(integers.back(), 19'900);
  const auto few = draw<int>(of("sorted", {1000}, Dtype::I32, {{"lo", 0}, {"hi", 3}}));
  EXPECT_EQ(std::set<int>(few.begin(), few.end()), (std::set<int>{0, 1, 2, 3}));
  const auto real = draw<float>(of("sorted", {2, 1000}, Dtype::F32, {{"lo", 1}, {"hi", 2}}));
  for (const auto row : {std::span(real).first(1000), std::span(real).last(1000)}) {
    EXPECT_TRUE(std::ranges::is_sorted(row));
    EXPECT_GE(row.front(), 1);
    EXPECT_LE(row.back(), 2);
    const auto different = std::set<float>(row.begin(), row.end()).size();
    EXPECT_GT(different, 750u);
    EXPECT_LT(different, 950u);
  }
}

TEST_F(StructuredValues, DiagonalsOutweighTheirRowsAndColumns) {
  constexpr std::size_t n = 37;
  for (const char* kind : {"spd", "dominant", "triangular"}) {
    const auto v = draw<double>(of(kind, {2, n, n}, Dtype::F64));
    for (std::size_t matrix = 0; matrix < 2; ++matrix) {
      const auto at = [&](std::size_t i, std::size_t j) { return v[(matrix * n + i) * n + j]; };
      bool is_symmetric = true;
      std::size_t above = 0;
      for (std::size_t i = 0; i < n; ++i) {
        double row = 0, column = 0;
        for (std::size_t j = 0; j < n; ++j) {
          if (j == i) continue;
          row += std::fabs(at(i, j)), column += std::fabs(at(j, i));
          is_symmetric = is_symmetric && at(i, j) == at(j, i);
          above += j > i && at(i, j) != 0;
        }
        EXPECT_GT(at(i, i), row);
        EXPECT_GT(at(i, i), column);
      }
      EXPECT_EQ(is_symmetric, std::string_view(kind) == "spd");
      EXPECT_EQ(above, std::string_view(kind) == "triangular" ? 0 : n * (n - 1) / 2);
    }
  }
  const auto upper = draw<double>(of("triangular", {3, 3}, Dtype::F64, {{"upper", 1}}));
  EXPECT_NE(upper[1], 0);
  EXPECT_EQ(upper[3], 0);
}

template <class T>
void expect_special(const std::vector<T>& v, bool has_nonfinite) {
  const auto count = [&](auto is) { return std::ranges::count_if(v, is); };
  EXPECT_GT(count([](T x) { return x == 0 && std::signbit(x); }), 0);
  EXPECT_GT(count([](T x) { return std::fpclassify(x) == FP_SUBNORMAL && x > 0; }), 0);
  EXPECT_GT(count([](T x) { return std::fpclassify(x) == FP_SUBNORMAL && x < 0; }), 0);
  EXPECT_EQ(count([](T x) { return std::isnan(x); }) > 0, has_nonfinite);
  EXPECT_EQ(count([](T x) { return x == -std::numeric_limits<T>::infinity(); }) > 0, has_nonfinite);
  const auto normal = static_cast<double>(count([](T x) { return std::isnormal(x); }));
  EXPECT_NEAR(normal, 0.9 * static_cast<double>(v.size()), 0.02 * static_cast<double>(v.size()));
}

TEST_F(StructuredValues, SpecialNumbersAreThoseOfTheType) {
  for (const double nonfinite : {0.0, 1.0}) {
    const std::map<std::string, double> numbers{{"share", 0.1}, {"nonfinite", nonfinite}};
    expect_special(draw<float>(of("special", {10'000}, Dtype::F32, numbers)), nonfinite != 0);
    expect_special(draw<double>(of("special", {10'000}, Dtype::F64, numbers)), nonfinite != 0);
  }
}

TEST_F(StructuredValues, AreRefusedWhereTheyHaveNoMeaning) {
  const auto refuses = [&](const Tensor& t) {
    const auto buffer = make(t.bytes());
    EXPECT_THAT(ops().fill(*buffer, t, 1), IsErrorAbout(ErrorCode::BadInput, t.values.kind));
  };
  refuses(of("offsets", {5}, Dtype::I32));
  refuses(of("spd", {5}, Dtype::F32));
  refuses(of("dominant", {5, 4}, Dtype::F32));
  refuses(of("special", {5}, Dtype::I32));
}

}  // namespace
}  // namespace kw::device::structured
