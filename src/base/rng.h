// Random numbers: 128-bit seeds with labelled children, and a fast generator for filling tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace kw {

/// Start of a stream of random numbers. Children are derived by SHA-256, so whoever recovers the
/// state of one stream from its output learns nothing about its siblings.
struct Seed {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  /// Random seed of the operating system; blocks only before the system's pool is ready.
  static Seed from_os();
  /// Seed for tests, and for strategies whose seed the user chooses.
  static Seed from_number(std::uint64_t number) { return {0, number}; }

  Seed child(std::string_view label) const;
  Seed child(std::uint64_t index) const;
  std::string hex() const;  ///< 32 lower-case digits, for records
  auto operator<=>(const Seed&) const = default;
};

/// xoshiro256++ (Blackman and Vigna, 2019): a UniformRandomBitGenerator that takes about 1 ns for a
/// number. The same seed gives the same numbers on every machine; not for secrets.
class Rng {
 public:
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  explicit Rng(Seed seed);

  result_type operator()() {
    const auto result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const auto shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, 1), with all 53 bits random.
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
  double uniform(double lo, double hi) { return lo + (hi - lo) * uniform(); }

  /// Normal with mean 0 and deviation 1; the ziggurat of Marsaglia and Tsang (2000) in Doornik's
  /// form (2005).
  double normal();

  /// Uniform in [0, count), without bias; count > 0.
  std::uint64_t below(std::uint64_t count);

  /// Uniform in [lo, hi]; lo <= hi.
  std::int64_t between(std::int64_t lo, std::int64_t hi);

  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      using std::swap;
      swap(items[i - 1], items[static_cast<std::size_t>(below(i))]);
    }
  }

 private:
  double normal_tail(bool negative);

  std::array<std::uint64_t, 4> state_;
};

}  // namespace kw
