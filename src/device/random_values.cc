// Tables and rare cases of the ziggurat.
// SPDX-License-Identifier: Apache-2.0
#include "device/random_values.h"

namespace kw::device {
namespace {

// Start of the tail and area of a layer for 256 layers (Marsaglia and Tsang, 2000, section 4).
constexpr double kTail = 3.6541528853610088;
constexpr double kArea = 0.00492867323399;

double bell(double x) { return std::exp(-0.5 * x * x); }

}  // namespace

Ziggurat::Ziggurat() {
  x[0] = kArea / bell(kTail);
  x[1] = kTail;
  for (std::size_t i = 2; i < kLayers; ++i)
    x[i] = std::sqrt(-2 * std::log(kArea / x[i - 1] + bell(x[i - 1])));
  x[kLayers] = 0;
  for (std::size_t i = 0; i < kLayers; ++i) inner[i] = x[i + 1] / x[i];
}

const Ziggurat& ziggurat() {
  static const Ziggurat table;
  return table;
}

double normal_slow(const Ziggurat& z, std::uint64_t bits) {
  const std::uint64_t seed = bits;
  std::uint64_t draw = 0;
  for (;;) {
    const auto layer = static_cast<std::size_t>(bits & 255);
    const double u = static_cast<double>(static_cast<std::int64_t>(bits) >> 11) * 0x1p-52;
    const double value = u * z.x[layer];
    if (std::fabs(u) < z.inner[layer]) return value;
    if (layer == 0) {
      // Marsaglia's tail method (1964); 1 - unit is in (0, 1].
      double past;
      double test;
      do {
        past = -std::log(1 - unit_from(bits_at(seed, ++draw))) / kTail;
        test = -std::log(1 - unit_from(bits_at(seed, ++draw)));
      } while (test + test < past * past);
      return u < 0 ? -(kTail + past) : kTail + past;
    }
    const double low = bell(z.x[layer]);
    const double high = bell(z.x[layer + 1]);
    if (low + unit_from(bits_at(seed, ++draw)) * (high - low) < bell(value)) return value;
    bits = bits_at(seed, ++draw);
  }
}

}  // namespace kw::device
