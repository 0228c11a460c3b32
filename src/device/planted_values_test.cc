// Tests of values whose sums are exact in any order: content of lines, and which lines are planted.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "base/error_for_test.h"
#include "device/fake.h"

namespace kw::device::planted_lines {
namespace {

constexpr double kUnit = 0x1p-20;  // for f32

class PlantedValues : public testing::Test {
 protected:
  static Tensor tensor(std::vector<std::int64_t> sizes, const std::string& kind,
                       std::map<std::string, double> numbers) {
    Tensor t;
    t.name = "t";
    t.pitch = sizes.back();
    t.sizes = std::move(sizes);
    t.values.kind = kind;
    t.values.numbers = std::move(numbers);
    return t;
  }
  std::vector<float> draw(const Tensor& t, std::uint64_t seed) {
    const auto buffer = *device_->allocate({.name = "b", .bytes = t.bytes(), .alignment = 64});
    EXPECT_TRUE(device_->ops().fill(*buffer, t, seed).has_value());
    std::vector<float> out(static_cast<std::size_t>(t.extent()));
    EXPECT_TRUE(buffer->read(0, std::as_writable_bytes(std::span(out))).has_value());
    return out;
  }

  FakeWorld world_;
  std::unique_ptr<Device> device_ = make_fake_device(world_);
};

struct Line {
  std::vector<double> values;
  std::vector<std::size_t> chosen;  ///< Indices of the elements that are not 0.
};

/// Line number `index` of a tensor [outer, length, inner].
Line line_of(const std::vector<float>& all, std::size_t length, std::size_t inner,
             std::size_t index) {
  Line line;
  const std::size_t begin = index / inner * length * inner + index % inner;
  for (std::size_t p = 0; p < length; ++p) {
    line.values.push_back(static_cast<double>(all[begin + p * inner]));
    if (line.values.back() != 0) line.chosen.push_back(p);
  }
  return line;
}

TEST_F(PlantedValues, AGridHasMultiplesOfItsUnitAndAllItsBits) {
  const auto values = draw(tensor({100'000}, "grid", {}), 3);
  int odd = 0;
  for (const float v : values) {
    const double steps = static_cast<double>(v) / kUnit;
    ASSERT_EQ(steps, std::nearbyint(steps));
    ASSERT_LE(std::abs(v), 2);
    odd += std::abs(v) >= 1 && std::fmod(std::abs(steps), 2) == 1;
  }
  EXPECT_NEAR(odd, 25'000, 1000) << "a quarter is off by a unit at four bits fewer than f32 has";
}

TEST_F(PlantedValues, APlantedLineHasTwoElementsAndTheLastIsOftenOneOfThem) {
  constexpr std::size_t kRows = 4000, kCols = 300;
  const auto all = draw(tensor({kRows, kCols}, "planted", {{"over", 1}, {"share", 0.1}}), 5);
  int planted = 0, at_end = 0, at_begin = 0;
  std::set<std::size_t> places;
  for (std::size_t r = 0; r < kRows; ++r) {
    const Line line = line_of(all, kCols, 1, r);
    if (line.chosen.size() > 2) {
      EXPECT_EQ(line.chosen.size(), kCols) << "else it is drawn like any other";
      continue;
    }
    ++planted;
    at_end += line.chosen.back() == kCols - 1;
    at_begin += line.chosen.front() == 0;
    places.insert(line.chosen.begin(), line.chosen.end());
    for (const std::size_t p : line.chosen) EXPECT_EQ(std::abs(line.values[p]), 1);
  }
  EXPECT_NEAR(planted, 400, 120) << "they come in pairs";
  EXPECT_NEAR(at_end, planted / 2, planted / 8);
  EXPECT_NEAR(at_begin, planted / 4, planted / 8);
  EXPECT_GT(places.size(), 150u);
}

TEST_F(PlantedValues, LinesHalfAnAxisApartShareTheirFate) {
  constexpr std::size_t kBatch = 3, kRows = 100, kCols = 40;
  const auto all = draw(tensor({kBatch, kRows, kCols}, "grid", {{"over", 2}, {"share", 0.2}}), 7);
  const auto is_planted = [&](std::size_t line) {
    return line_of(all, kCols, 1, line).chosen.size() <= 2;
  };
  int planted = 0;
  for (std::size_t s = 0; s < kBatch; ++s)
    for (std::size_t r = 0; r < kRows / 2; ++r) {
      const std::size_t line = s * kRows + r;
      planted += is_planted(line);
      EXPECT_EQ(is_planted(line), is_planted(line + kRows / 2)) << line;
    }
  EXPECT_GT(planted, 10);
  EXPECT_LT(planted, 60);
}

TEST_F(PlantedValues, LinesRunAlongTheAxesThatAreNamed) {
  constexpr std::size_t kRows = 64, kCols = 500;
  const auto all = draw(tensor({kRows, kCols}, "grid", {{"over", 0}, {"share", 0.1}}), 9);
  int planted = 0;
  for (std::size_t c = 0; c < kCols; ++c)
    planted += line_of(all, kRows, kCols, c).chosen.size() <= 2;
  EXPECT_NEAR(planted, 50, 30);
  for (std::size_t r = 0; r < kRows; ++r)
    EXPECT_GT(line_of(all, kCols, 1, r).chosen.size(), kCols / 2);
  const auto filters =
      draw(tensor({80, 4, 3, 3}, "grid", {{"over", 1}, {"axes", 3}, {"share", 0.2}}), 9);
  int chosen = 0;
  for (std::size_t k = 0; k < 80; ++k) chosen += line_of(filters, 36, 1, k).chosen.size() <= 2;
  EXPECT_GT(chosen, 2);
  EXPECT_LT(chosen, 40);
}

TEST_F(PlantedValues, SumsOfCountedLinesAreExactInAnyOrder) {
  constexpr std::size_t kRows = 300, kCols = 4096;
  const auto all = draw(tensor({kRows, kCols}, "counted", {{"over", 1}, {"share", 0.1}}), 13);
  int planted = 0, whole = 0;
  for (std::size_t r = 0; r < kRows; ++r) {
    const Line line = line_of(all, kCols, 1, r);
    const bool is_planted = line.chosen.size() <= 2;
    planted += is_planted;
    whole += line.values[0] == std::nearbyint(line.values[0]);
    if (!is_planted) {
      EXPECT_EQ(line.chosen.size(), kCols) << "no element is 0";
      EXPECT_FALSE(std::ranges::all_of(line.values, [](double v) { return v == std::rint(v); }))
          << "a kernel that is right for whole numbers alone is wrong on every such line";
    }
    float forward = 0, backward = 0;
    double apart = 0, sum = 0;
    for (std::size_t c = 0; c < kCols; ++c) {
      forward += static_cast<float>(line.values[c]);
      backward += static_cast<float>(line.values[kCols - 1 - c]);
      apart += std::abs(line.values[c]);
      sum += line.values[c];
    }
    EXPECT_EQ(static_cast<double>(forward), sum);
    EXPECT_EQ(static_cast<double>(backward), sum);
    EXPECT_LE(apart, 0x1p24) << "so that terms of one sign could be summed alone";
  }
  EXPECT_GT(planted, 10);
  EXPECT_LT(planted, 60);
  EXPECT_LT(whole, kRows / 2) << "being whole does not tell them from other numbers";
}

TEST_F(PlantedValues, TheFewLinesOfALongTensorArePlantedInSomeSets) {
  int planted = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    planted +=
        line_of(draw(tensor({1, 200}, "counted", {{"over", 1}}), seed), 200, 1, 0).chosen.size() <=
        2;
  EXPECT_NEAR(planted, 50, 25);
  int ends = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto all = draw(tensor({65, 50}, "planted", {{"over", 1}}), seed);
    int any = 0;
    for (std::size_t r = 0; r < 65; ++r) any += line_of(all, 50, 1, r).chosen.size() <= 2;
    EXPECT_GE(any, 1) << "of several lines one is planted in every set";
    ends += line_of(all, 50, 1, 64).chosen.size() <= 2;
  }
  EXPECT_NEAR(ends, 52, 20) << "half of the last lines are planted";
}

TEST_F(PlantedValues, WhatIsNotChosenIsTheRest) {
  const auto all = draw(
      tensor({400, 100}, "planted", {{"over", 1}, {"share", 0.2}, {"value", 3}, {"rest", -200}}),
      17);
  int planted = 0;
  for (std::size_t r = 0; r < 400; ++r) {
    const Line line = line_of(all, 100, 1, r);
    int low = 0, high = 0;
    for (const double v : line.values) low += v < -190, high += v == 3;
    if (low == 0) continue;
    ++planted;
    EXPECT_EQ(low + high, 100);
    EXPECT_GE(high, 1);
  }
  EXPECT_GT(planted, 20);
}

TEST_F(PlantedValues, WhatIsNotChosenMayStayAsItIs) {
  const std::map<std::string, double> numbers = {{"over", 1}, {"share", 0.2}, {"value", 64}};
  auto keeping = numbers;
  keeping["keep"] = 1;
  const auto zeros = draw(tensor({200, 100}, "planted", numbers), 19);
  const auto kept = draw(tensor({200, 100}, "planted", keeping), 19);
  int chosen = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    chosen += std::abs(kept[i]) == 64;
    EXPECT_EQ(std::abs(zeros[i]) == 64, std::abs(kept[i]) == 64);
    EXPECT_NE(kept[i], 0);
  }
  EXPECT_GT(chosen, 20);
}

TEST_F(PlantedValues, AnAxisThatIsNotThereIsAnError) {
  const Tensor t = tensor({4, 4}, "counted", {{"over", 2}});
  const auto buffer = *device_->allocate({.name = "b", .bytes = t.bytes(), .alignment = 64});
  const auto filled = device_->ops().fill(*buffer, t, 1);
  EXPECT_THAT(filled, IsErrorAbout(ErrorCode::BadInput, "counted"));
}

}  // namespace
}  // namespace kw::device::planted_lines
