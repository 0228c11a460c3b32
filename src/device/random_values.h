// Counter-based randomness: the value at an index depends on seed and index alone, never on order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace kw::device {

/// 64 random bits for one index: the finaliser of SplitMix64 (Steele, Lea and Flood, 2014) over a
/// Weyl sequence. About 1 ns; vectorises.
inline std::uint64_t bits_at(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e37'79b9'7f4a'7c15;
  z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
  z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
  return z ^ (z >> 31);
}

/// In [0, 1), 53 bits.
inline double unit_from(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// Layers of equal area under the bell curve, after Marsaglia and Tsang (2000).
struct Ziggurat {
  static constexpr int kLayers = 256;
  std::array<double, kLayers + 1> x{};  ///< Right edges, x[0] the virtual one of the base strip.
  std::array<double, kLayers> inner{};  ///< x[i + 1] / x[i]: below it no test is needed.
  Ziggurat();
};
const Ziggurat& ziggurat();

/// The rare part of normal_at: wedges and tail.
double normal_slow(const Ziggurat& z, std::uint64_t bits);

/// Mean 0, deviation 1. 1.5 ns; the rare cases (1 %) draw again from their own bits.
inline double normal_at(const Ziggurat& z, std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t bits = bits_at(seed, index);
  const auto layer = static_cast<std::size_t>(bits & 255);
  const double u = static_cast<double>(static_cast<std::int64_t>(bits) >> 11) * 0x1p-52;
  if (std::fabs(u) < z.inner[layer]) return u * z.x[layer];
  return normal_slow(z, bits);
}

}  // namespace kw::device
