// Computes the ziggurat's table without a mathematical library, so that the table is equal on every
// machine.
// SPDX-License-Identifier: Apache-2.0
#include "device/random_values.h"

#include <cmath>

namespace kw::device {
namespace {

// Area of a layer for 256 layers (Marsaglia and Tsang, 2000, section 4).
constexpr double kArea = 0.00492867323399;

Ziggurat make_ziggurat() {
  Ziggurat z;
  z.x[0] = kArea / bell(KW_ZIGGURAT_TAIL);
  z.x[1] = KW_ZIGGURAT_TAIL;
  for (int i = 2; i < Ziggurat::kLayers; ++i)
    z.x[i] = std::sqrt(-2 * exact::log_of(kArea / z.x[i - 1] + bell(z.x[i - 1])));
  z.x[Ziggurat::kLayers] = 0;
  for (int i = 0; i < Ziggurat::kLayers; ++i) z.inner[i] = z.x[i + 1] / z.x[i];
  for (int i = 0; i <= Ziggurat::kLayers; ++i) z.y[i] = bell(z.x[i]);
  return z;
}

}  // namespace

const Ziggurat& ziggurat() {
  static const Ziggurat table = make_ziggurat();
  return table;
}

}  // namespace kw::device
