// Edits reach exactly the elements that they mean, whatever the layout.
// SPDX-License-Identifier: Apache-2.0
#include "referee/edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "device/fake.h"
#include "referee/values.h"

namespace kw::referee {
namespace {

using ::testing::ElementsAre;

class EditTest : public ::testing::Test {
 protected:
  static Tensor tensor(std::vector<std::int64_t> sizes, std::int64_t pitch,
                       Dtype dtype = Dtype::F32) {
    Tensor t;
    t.name = "t";
    t.dtype = dtype;
    t.sizes = std::move(sizes);
    t.pitch = pitch;
    return t;
  }
  std::unique_ptr<device::Buffer> make(const Tensor& t) {
    return *device_->allocate({.name = t.name, .bytes = t.bytes(), .alignment = 8});
  }
  /// A buffer whose element k, in memory order, holds first + k.
  std::unique_ptr<device::Buffer> counting(const Tensor& t, double first = 0) {
    std::vector<double> values(static_cast<std::size_t>(t.extent()));
    std::iota(values.begin(), values.end(), first);
    std::vector<std::byte> bytes(static_cast<std::size_t>(t.bytes()));
    store_values(bytes, t.dtype, values);
    auto buffer = make(t);
    EXPECT_TRUE(buffer->write(0, bytes).has_value());
    return buffer;
  }
  static std::vector<double> read(const device::Buffer& buffer, const Tensor& t) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(t.bytes()));
    EXPECT_TRUE(buffer.read(0, bytes).has_value());
    std::vector<double> values;
    append_values(values, t.dtype, bytes);
    return values;
  }

  device::Parallel alone_{1};
  device::FakeWorld world_;
  std::unique_ptr<device::Device> device_ = device::make_fake_device(world_);
};

TEST_F(EditTest, TellsRowMajorIndicesAndLeavesTheRest) {
  const Tensor t = tensor({3, 2}, 4);
  const auto buffer = counting(t);
  std::vector<std::int64_t> indices;
  const auto changed = edit(alone_, *buffer, t, {{{1, 3}, {1, 2}}},
                            [&](std::int64_t first, std::span<double> values) {
                              for (double& value : values) {
                                indices.push_back(first++);
                                value = -1;
                              }
                            });
  EXPECT_TRUE(changed.value());
  EXPECT_THAT(indices, ElementsAre(3, 5));
  EXPECT_THAT(read(*buffer, t), ElementsAre(0, 1, 2, 3, 4, -1, 6, 7, 8, -1));
  EXPECT_FALSE(edit(alone_, *buffer, t, whole(t), [](std::int64_t, std::span<double>) {}).value());
}

TEST_F(EditTest, WorksInWindowsOfRowsAndOnElementsFarApart) {
  // The first two pitches read runs together, the third reads them one by one.
  for (const std::int64_t pitch : {3, 1000, 5000}) {
    const Tensor t = tensor({2000, 3}, pitch, Dtype::I32);
    const auto buffer = counting(t);
    std::int64_t sum = 0;
    ASSERT_TRUE(edit(alone_, *buffer, t, {{{0, 2000}, {2, 3}}},
                     [&](std::int64_t first, std::span<double> values) {
                       sum += first;
                       std::ranges::fill(values, -7.0);
                     })
                    .value());
    EXPECT_EQ(sum, 2000 * 2 + 3 * 1999 * 2000 / 2);
    const auto values = read(*buffer, t);
    EXPECT_EQ(std::ranges::count(values, -7.0), 2000);
    EXPECT_EQ(values[static_cast<std::size_t>(1999 * pitch + 2)], -7);
    EXPECT_EQ(values[static_cast<std::size_t>(1999 * pitch + 1)],
              static_cast<double>(1999 * pitch + 1));
  }
  const Tensor row = tensor({5'000'000}, 5'000'000);  // spans three windows
  const auto buffer = make(row);
  std::int64_t count = 0;
  ASSERT_TRUE(
      edit(alone_, *buffer, row, whole(row), [&](std::int64_t first, std::span<double> values) {
        EXPECT_EQ(first, count);
        count += std::ssize(values);
        std::ranges::fill(values, 2.0);
      }).has_value());
  EXPECT_EQ(count, 5'000'000);
  EXPECT_EQ(read(*buffer, row).back(), 2);
}

TEST_F(EditTest, SeveralThreadsDoWhatOneDoes) {
  device::Parallel four(4);
  const Tensor t = tensor({5000, 1000}, 1003);
  const auto index = [](std::int64_t first, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<double>((first + static_cast<std::int64_t>(i)) % 4099);
  };
  const auto by_one = counting(t);
  const auto by_four = counting(t);
  EXPECT_TRUE(edit(alone_, *by_one, t, whole(t), index).value());
  EXPECT_TRUE(edit(four, *by_four, t, whole(t), index).value());
  EXPECT_TRUE(is_equal(four, *by_one, *by_four, t, whole(t)).value());
  EXPECT_FALSE(edit(four, *by_four, t, whole(t), index).value()) << "nothing changes";
  const auto odd = [](std::int64_t i) { return i % 2 == 1; };
  EXPECT_TRUE(take(alone_, *by_one, *counting(t), t, whole(t), 0, odd).value());
  EXPECT_TRUE(take(four, *by_four, *counting(t), t, whole(t), 0, odd).value());
  EXPECT_EQ(read(*by_one, t), read(*by_four, t));
}

TEST_F(EditTest, TakesFromAnotherBufferAsFarAsChosen) {
  const Tensor t = tensor({2, 3}, 4);
  const auto from = counting(t, 100);
  const auto to = counting(t);
  EXPECT_TRUE(
      take(alone_, *to, *from, t, whole(t), 0, [](std::int64_t i) { return i % 2 == 1; }).value());
  EXPECT_THAT(read(*to, t), ElementsAre(0, 101, 2, 3, 104, 5, 106));
  EXPECT_FALSE(take(alone_, *to, *to, t, whole(t)).value());
  EXPECT_TRUE(take(alone_, *to, *from, t, {{{0, 2}, {1, 3}}}, 1).value()) << "from the one before";
  EXPECT_THAT(read(*to, t), ElementsAre(0, 100, 101, 3, 104, 104, 105));
  EXPECT_TRUE(take(alone_, *to, *from, t, {{{1, 2}, {0, 2}}}, -1).value()) << "from the one behind";
  EXPECT_THAT(read(*to, t), ElementsAre(0, 100, 101, 3, 105, 106, 105));
}

TEST_F(EditTest, FillsRoundAndRoundAcrossTypes) {
  const Tensor source = tensor({3}, 3, Dtype::U8);
  const Tensor t = tensor({4, 2}, 2);
  const auto to = make(t);
  ASSERT_TRUE(fill_from(*to, t, *counting(source, 5), source).has_value());
  EXPECT_THAT(read(*to, t), ElementsAre(5, 6, 7, 5, 6, 7, 5, 6));
}

TEST_F(EditTest, ComparesValuesOfTheRegionAlone) {
  const Tensor t = tensor({2, 2}, 3);
  const auto a = counting(t);
  const auto b = counting(t);
  ASSERT_TRUE(edit(alone_, *b, t, {{{1, 2}, {1, 2}}}, [](std::int64_t, std::span<double> v) {
                v[0] = 9;
              }).value());
  EXPECT_FALSE(is_equal(alone_, *a, *b, t, whole(t)).value());
  EXPECT_TRUE(is_equal(alone_, *a, *b, t, {{{0, 2}, {0, 1}}}).value());
}

TEST(Rounded, KeepsSoManyBitsToNearestEven) {
  EXPECT_EQ(rounded(1.0 + 0x1p-8, 8), 1.0) << "half way, to even";
  EXPECT_EQ(rounded(1.0 + 3 * 0x1p-8, 8), 1.0 + 0x1p-6) << "half way, to even";
  EXPECT_EQ(rounded(-(1.0 + 0x1p-8 + 0x1p-20), 8), -(1.0 + 0x1p-7));
  EXPECT_EQ(rounded(2.0 - 0x1p-20, 8), 2.0) << "carries into the exponent";
  EXPECT_EQ(rounded(0.1, 53), 0.1);
  EXPECT_EQ(rounded(0.0, 8), 0.0);
  EXPECT_NEAR(rounded(3e-40, 24), 3e-40, 3e-40 * 0x1p-24) << "where floats are subnormal, too";
}

}  // namespace
}  // namespace kw::referee
