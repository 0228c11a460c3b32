// The two-byte floating-point types as bits, with conversions that give the same bits on host and
// GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __CUDACC__
#include "exact.cuh"
#else
#include "device/cuda/exact.cuh"
#endif

namespace kw::device {

/// A number with kExponent and kFraction bits behind its sign, encoded as in IEEE 754.
template <int kExponent, int kFraction>
struct TwoBytes {
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr unsigned kInfinity = ((1u << kExponent) - 1) << kFraction;

  unsigned short bits;

  /// Converts to double exactly.
  KW_FN operator double() const {
    const Word sign = (Word)(bits & 0x8000u) << 48;
    const unsigned rest = bits & 0x7fffu;
    const Word shifted = (Word)rest << (52 - kFraction);
    if (rest >= kInfinity) return exact::from_bits(sign | shifted | 0x7ff0'0000'0000'0000ull);
    // The bits are read with a double's bias and then scaled by the difference of the two biases,
    // which is right for subnormal numbers too.
    const double scale = exact::from_bits((Word)(2 * 1023 - kBias) << 52);
    return exact::from_bits(sign | exact::to_bits(exact::mul(exact::from_bits(shifted), scale)));
  }

  /// Converts to the nearest number, ties to even; beyond the largest number to infinity.
  static KW_FN TwoBytes nearest(double v) {
    const Word all = exact::to_bits(v);
    const auto sign = (unsigned)(all >> 48) & 0x8000u;
    const Word size = all & ~((Word)1 << 63);
    if (size > 0x7ff0'0000'0000'0000ull) return {(unsigned short)(sign | 0x7fffu)};
    constexpr Word kSmallestNormal = (Word)(1023 - kBias + 1) << 52;
    if (size < kSmallestNormal) {
      // A subnormal result is counted in units of the smallest number; a result of 2^kFraction
      // units is encoded correctly too.
      const double unit = exact::from_bits((Word)(1023 + kBias - 1 + kFraction) << 52);
      const double units = exact::round_of(exact::mul(exact::from_bits(size), unit));
      return {(unsigned short)(sign | (unsigned)units)};
    }
    constexpr int kShift = 52 - kFraction;
    const Word is_odd = size >> kShift & 1;
    const Word rounded = (size + ((Word)1 << (kShift - 1)) - 1 + is_odd) >> kShift;
    const Word coded = rounded - ((Word)(1023 - kBias) << kFraction);
    return {(unsigned short)(sign | (coded < kInfinity ? (unsigned)coded : kInfinity))};
  }

  static KW_FN double largest() { return (double)TwoBytes{(unsigned short)(kInfinity - 1)}; }
};

using Half = TwoBytes<5, 10>;
using BFloat = TwoBytes<8, 7>;

/// Converts a double to a real type: to the nearest, ties to even.
template <class T>
KW_FN T nearest_of(double v) {
  return (T)v;
}
template <>
KW_FN Half nearest_of<Half>(double v) {
  return Half::nearest(v);
}
template <>
KW_FN BFloat nearest_of<BFloat>(double v) {
  return BFloat::nearest(v);
}

}  // namespace kw::device
