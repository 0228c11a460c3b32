// Draws seeds from the system, derives seeds, and draws normal numbers.
// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "base/hash.h"

namespace kw {
namespace {

/// SplitMix64 (Steele, Lea and Flood, 2014): spreads a seed over the generator's state.
std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15u;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// 128 layers of equal area below exp(-x²/2): kTail is where the tail starts, kArea the area of a
/// layer (Doornik 2005, table 1).
constexpr int kLayers = 128;
constexpr double kTail = 3.442619855899;
constexpr double kArea = 9.91256303526217e-3;

struct Ziggurat {
  std::array<double, kLayers + 1> x{};   ///< Right edges of the layers, widest first.
  std::array<double, kLayers> inside{};  ///< Share of a layer that lies below the layer above.

  Ziggurat() {
    double density = std::exp(-0.5 * kTail * kTail);
    x[0] = kArea / density;
    x[1] = kTail;
    for (std::size_t i = 2; i < kLayers; ++i) {
      x[i] = std::sqrt(-2 * std::log(kArea / x[i - 1] + density));
      density = std::exp(-0.5 * x[i] * x[i]);
    }
    x[kLayers] = 0;
    for (std::size_t i = 0; i < kLayers; ++i) inside[i] = x[i + 1] / x[i];
  }
};

const Ziggurat& ziggurat() {
  static const Ziggurat table;
  return table;
}

}  // namespace

Seed Seed::from_os() {
  Seed seed;
  auto* bytes = reinterpret_cast<unsigned char*>(&seed);
  for (std::size_t done = 0; done < sizeof seed;) {
    const auto got = getrandom(bytes + done, sizeof seed - done, 0);
    KW_ASSERT(got > 0 || errno == EINTR);
    if (got > 0) done += static_cast<std::size_t>(got);
  }
  return seed;
}

Seed Seed::child(std::string_view label) const {
  const Sha256 digest = Sha256Stream().update_part(hex()).update_part(label).finish();
  Seed seed;
  for (std::size_t i = 0; i < 8; ++i) {
    seed.high = seed.high << 8 | digest.bytes[i];
    seed.low = seed.low << 8 | digest.bytes[8 + i];
  }
  return seed;
}

Seed Seed::child(std::uint64_t index) const { return child(std::to_string(index)); }

std::string Seed::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

Rng::Rng(Seed seed) {
  // Each half of the seed is spread by its own SplitMix64; xoshiro must not start with a state of
  // zeros.
  std::uint64_t high = seed.high ^ 0xD1B54A32D192ED03u;
  std::uint64_t low = seed.low;
  state_ = {split_mix(low), split_mix(high), split_mix(low), split_mix(high)};
  if ((state_[0] | state_[1] | state_[2] | state_[3]) == 0) state_[0] = 1;
}

double Rng::normal() {
  const auto& table = ziggurat();
  for (;;) {
    const std::uint64_t bits = (*this)();
    const std::size_t layer =
        bits % kLayers;  // the low bits, which the fraction below does not use
    const double u = static_cast<double>(static_cast<std::int64_t>(bits) >> 11) * 0x1p-52;
    if (std::fabs(u) < table.inside[layer]) return u * table.x[layer];
    if (layer == 0) return normal_tail(u < 0);
    const double x = u * table.x[layer];
    const double below = std::exp(-0.5 * (table.x[layer] * table.x[layer] - x * x));
    const double above = std::exp(-0.5 * (table.x[layer + 1] * table.x[layer + 1] - x * x));
    if (above + uniform() * (below - above) < 1) return x;
  }
}

/// A value beyond kTail, by Marsaglia's method of 1964.
double Rng::normal_tail(bool negative) {
  double x = 0;
  double y = 0;
  do {
    x = std::log(1 - uniform()) / kTail;
    y = std::log(1 - uniform());
  } while (-2 * y < x * x);
  return negative ? x - kTail : kTail - x;
}

std::uint64_t Rng::below(std::uint64_t count) {
  KW_ASSERT(count > 0);
  // Numbers below 2^64 mod count are drawn again, since they would favour small results.
  const std::uint64_t threshold = (0 - count) % count;
  for (;;) {
    const std::uint64_t bits = (*this)();
    if (bits >= threshold) return bits % count;
  }
}

std::int64_t Rng::between(std::int64_t lo, std::int64_t hi) {
  KW_ASSERT(lo <= hi);
  const std::uint64_t span = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo);
  const std::uint64_t step = span == max() ? (*this)() : below(span + 1);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + step);
}

}  // namespace kw
