// Tests of converting the two-byte types: every bit pattern, and values between neighbours.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/half.cuh"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kw::device {
namespace {

double widened_bf16(unsigned bits) { return std::bit_cast<float>(bits << 16); }

/// The value of a binary16 by its definition.
double widened_f16(unsigned bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = bits & 0x3ff;
  if (exponent == 31)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

template <class T>
void expect_widening(double (*wanted)(unsigned)) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const T v{static_cast<unsigned short>(bits)};
    const double got = static_cast<double>(v), want = wanted(bits);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got)) << bits;
      EXPECT_TRUE(std::isnan(static_cast<double>(T::nearest(got)))) << bits;
      continue;
    }
    EXPECT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(want)) << bits;
    EXPECT_EQ(T::nearest(got).bits, bits);
  }
}

TEST(Half, EveryPatternIsWidenedAndComesBack) {
  expect_widening<Half>(widened_f16);
  expect_widening<BFloat>(widened_bf16);
}

template <class T>
void expect_nearest() {
  for (unsigned bits = 0; bits + 1 < T::kInfinity; ++bits) {
    const double low = static_cast<double>(T{static_cast<unsigned short>(bits)});
    const double high = static_cast<double>(T{static_cast<unsigned short>(bits + 1)});
    const double middle = low + (high - low) / 2;  // exact
    EXPECT_EQ(T::nearest(middle).bits, bits + (bits & 1)) << "a tie goes to the even one";
    EXPECT_EQ(T::nearest(std::nextafter(middle, low)).bits, bits);
    EXPECT_EQ(T::nearest(std::nextafter(middle, high)).bits, bits + 1);
    EXPECT_EQ(T::nearest(-middle).bits, 0x8000 | (bits + (bits & 1)));
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const double step =
      T::largest() - static_cast<double>(T{static_cast<unsigned short>(T::kInfinity - 2)});
  EXPECT_EQ(T::nearest(T::largest() + step / 2).bits, T::kInfinity);
  EXPECT_EQ(T::nearest(std::nextafter(T::largest() + step / 2, 0)).bits, T::kInfinity - 1);
  EXPECT_EQ(T::nearest(1e300).bits, T::kInfinity);
  EXPECT_EQ(T::nearest(-infinity).bits, 0x8000 | T::kInfinity);
  EXPECT_EQ(T::nearest(std::numeric_limits<double>::denorm_min()).bits, 0);
}

TEST(Half, DoublesGoToTheNearestTiesToEven) {
  expect_nearest<Half>();
  expect_nearest<BFloat>();
  EXPECT_EQ(Half::largest(), 65504);
  EXPECT_EQ(BFloat::largest(), static_cast<double>(0x1.fep127f));
}

}  // namespace
}  // namespace kw::device
